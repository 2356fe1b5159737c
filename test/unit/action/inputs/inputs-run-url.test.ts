import { describe, expect, it } from 'vitest';
import { linkTo } from '../../../../src/action/inputs/run-url.ts';
import { mistakes, settings } from '../../../support/action.ts';
import { JOB, PIPELINE } from '../../../support/service.ts';

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
    ['https://app.example.test/{run}', 'contains "{run}"'],
    ['https://app.example.test/{job-id', 'does not contain {job-id}'],
    ['https://app.example.test/{job-id}}', 'contains an unmatched brace'],
    ['https://app.example.test/{job-id} x', 'contains white space'],
    ['app.example.test/{job-id}', 'is not a URL'],
    ['http://app.example.test/{job-id}', 'is not https'],
    ['javascript:alert("{job-id}")', 'does not begin with https://'],
  ])('is refused when it is %s', (template, why) => {
    const shown = template.replaceAll('"', "'");
    expect(mistakes({ 'run-url': template })).toEqual([
      expect.stringContaining(`Input run-url is "${shown}", which ${why}`),
    ]);
  });

  it('is refused without being shown when it may hold a password', () => {
    expect(mistakes({ 'run-url': 'https://user:hunter2@app.example.test/{job-id}' })).toEqual([
      expect.stringContaining('Input run-url contains credentials'),
    ]);
  });
});
