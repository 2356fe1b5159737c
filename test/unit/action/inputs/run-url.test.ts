// The input run-url, a template for links to runs.
import { describe, expect, it } from 'vitest';
import { linkTo } from '../../../../src/action/inputs/run-url.ts';
import { aRun, mistakes, settings } from '../../../support/action.ts';
import { JOB, PIPELINE } from '../../../support/service.ts';

const HOST = 'https://app.example.test';

describe('the input run-url', () => {
  it.each([
    [`${HOST}/runs/{job-id}`, `${HOST}/runs/${JOB}`],
    [`${HOST}/#/p/{pipeline-id}/r/{job-id}?a=1`, `${HOST}/#/p/${PIPELINE}/r/${JOB}?a=1`],
    [`${HOST}/p/{pipeline-id}`, `${HOST}/p/${PIPELINE}`],
    [`  ${HOST}/{job-id}/{job-id}\n`, `${HOST}/${JOB}/${JOB}`],
    ['http://localhost:8080/{job-id}', `http://localhost:8080/${JOB}`],
    [`${HOST}/{job-id}`.padEnd(2_000, 'x'), `${HOST}/${JOB}${'x'.repeat(1_967)}`],
    [`${HOST}/läufe/{job-id}`, `${HOST}/l%C3%A4ufe/${JOB}`],
  ])('turns %s into %s', (template, link) => {
    expect(linkTo(aRun(), settings({ 'run-url': template }).runUrl)).toBe(link);
  });

  it('makes no link if the template is missing or needs an unknown id', () => {
    const both = `${HOST}/{pipeline-id}/{job-id}`;
    expect(linkTo(aRun(), undefined)).toBeUndefined();
    expect(linkTo(aRun({ jobId: undefined }), both)).toBeUndefined();
    expect(linkTo(aRun({ pipeline: undefined }), both)).toBeUndefined();
    expect(linkTo(aRun({ pipeline: undefined }), `${HOST}/{job-id}`)).toBe(`${HOST}/${JOB}`);
  });

  it.each([
    ['not contain {job-id}', [`${HOST}/runs`, `${HOST}/{job-id`]],
    ['contains "{', [`${HOST}/{id}`, `${HOST}/{JOB-ID}`]],
    ['an unmatched brace', [`${HOST}/{{job-id}}`]],
    ['contains white space', [`${HOST}/ {job-id}`, `${HOST}/\n{job-id}`]],
    ['is not a URL', ['app.example.test/{job-id}']],
    ['is not https', ['http://app.example.test/{job-id}']],
    ['does not begin with', ['ftp://app.example.test/{job-id}', 'javascript:alert("{job-id}")']],
    ['longer than 2000 characters', [`${HOST}/{job-id}`.padEnd(2_001, 'x')]],
    ['contains credentials', ['https://user:hunter2@app.example.test/{job-id}']],
  ])('causes an error that contains "%s" if it is one of %j', (words, templates) => {
    const found = templates.flatMap((template) => mistakes({ 'run-url': template }));
    const expected: unknown = expect.stringMatching(new RegExp(`^Input run-url (?!.*hunter2).*${words}`));
    expect(found).toEqual(templates.map(() => expected));
  });
});
