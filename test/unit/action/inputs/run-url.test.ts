// The input run-url: the template of the links to runs.
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
    [`${HOST}/läufe/{job-id}`, `${HOST}/l%C3%A4ufe/${JOB}`],
  ])('turns %s into %s', (template, link) => {
    expect(linkTo(aRun(), settings({ 'run-url': template }).runUrl)).toBe(link);
  });

  it('makes no link without a template, or without an id that the template needs', () => {
    const both = `${HOST}/{pipeline-id}/{job-id}`;
    expect(linkTo(aRun(), undefined)).toBeUndefined();
    expect(linkTo(aRun({ jobId: undefined }), both)).toBeUndefined();
    expect(linkTo(aRun({ pipeline: undefined }), both)).toBeUndefined();
    expect(linkTo(aRun({ pipeline: undefined }), `${HOST}/{job-id}`)).toBe(`${HOST}/${JOB}`);
  });

  it.each([
    [`${HOST}/runs`, 'not contain {job-id}'],
    [`${HOST}/{job-id`, 'not contain {job-id}'],
    [`${HOST}/{id}`, 'contains "{id}"'],
    [`${HOST}/{JOB-ID}`, 'contains "{JOB-ID}"'],
    [`${HOST}/{{job-id}}`, 'an unmatched brace'],
    [`${HOST}/ {job-id}`, 'contains white space'],
    [`${HOST}/\n{job-id}`, 'contains white space'],
    ['app.example.test/{job-id}', 'is not a URL'],
    ['http://app.example.test/{job-id}', 'is not https'],
    ['ftp://app.example.test/{job-id}', 'does not begin with'],
    ['javascript:alert("{job-id}")', 'does not begin with'],
  ])('may not be %j', (template, why) => {
    const shown = template.replaceAll('"', "'").replace('\n', ' ');
    const [mistake, ...others] = mistakes({ 'run-url': template });
    expect(mistake).toContain(`Input run-url is "${shown}", which `);
    expect(mistake).toContain(why);
    expect(others).toEqual([]);
  });

  it('may not contain credentials, which are not shown', () => {
    const [mistake] = mistakes({ 'run-url': 'https://user:hunter2@app.example.test/{job-id}' });
    expect(mistake).toMatch(/^Input run-url contains credentials(?!.*hunter2)/);
  });

  it('may not be longer than browsers accept', () => {
    const template = `${HOST}/{job-id}`.padEnd(2_000, 'x');
    expect(mistakes({ 'run-url': template })).toEqual([]);
    const [mistake] = mistakes({ 'run-url': `${template}x` });
    expect(mistake).toContain('longer than 2000 characters');
    expect(mistake?.length).toBeLessThan(600);
  });
});
