import { describe, expect, it } from 'vitest';
import { linkTo } from '../../../../src/action/inputs/run-url.ts';
import { mistakes, settings } from '../../../support/action.ts';
import { JOB, PIPELINE } from '../../../support/service.ts';

const REMEDY =
  'Write the address of a run in the application, with {job-id} in place of its id, such as https://app.example.com/runs/{job-id}.';
const PIPE = { id: PIPELINE, name: 'orders' };

describe('the input run-url', () => {
  it.each([
    ['https://app.example.test/runs/{job-id}', `https://app.example.test/runs/${JOB}`],
    [
      'https://app.example.test/#/p/{pipeline-id}/r/{job-id}?a=1',
      `https://app.example.test/#/p/${PIPELINE}/r/${JOB}?a=1`,
    ],
    ['http://localhost:8080/{job-id}', `http://localhost:8080/${JOB}`],
  ])('%s makes links', (template, link) => {
    const { runUrl } = settings({ 'run-url': template });
    expect(linkTo({ jobId: JOB, pipeline: PIPE }, runUrl)).toBe(link);
  });

  it('makes none while an id is not known, nor when it is not given', () => {
    const { runUrl } = settings({ 'run-url': 'https://app.example.test/{pipeline-id}/{job-id}' });
    expect(linkTo({ jobId: undefined, pipeline: PIPE }, runUrl)).toBeUndefined();
    expect(linkTo({ jobId: JOB, pipeline: undefined }, runUrl)).toBeUndefined();
    expect(linkTo({ jobId: JOB, pipeline: PIPE }, settings().runUrl)).toBeUndefined();
  });

  it.each([
    ['https://app.example.test/runs', 'does not contain {job-id}'],
    ['https://app.example.test/{run}', `names "{run}", but only {job-id} and {pipeline-id} are allowed`],
    ['https://app.example.test/{job-id', 'does not contain {job-id}'],
    ['https://app.example.test/{job-id}}', 'contains an unmatched brace'],
    ['https://app.example.test/{job-id} x', 'contains white space'],
    ['app.example.test/{job-id}', 'is not a URL'],
    ['http://app.example.test/{job-id}', 'is not https (http is allowed only for hosts on this machine)'],
    ['javascript:alert("{job-id}")', 'does not begin with https://'],
  ])('is refused when it is %s', (template, why) => {
    const shown = template.replaceAll('"', "'");
    expect(mistakes({ 'run-url': template })).toEqual([`Input run-url is "${shown}", which ${why}. ${REMEDY}`]);
  });

  it('is refused without being shown when it may hold a password', () => {
    expect(mistakes({ 'run-url': 'https://user:hunter2@app.example.test/{job-id}' })).toEqual([
      `Input run-url contains credentials. ${REMEDY}`,
    ]);
  });
});
