import { describe, expect, it } from 'vitest';
import { linkTo } from '../../../../src/action/inputs/run-url.ts';
import { codeLink } from '../../../../src/action/report/summary/markdown.ts';
import { aRun, mistakes, settings } from '../../../support/action.ts';
import { JOB, PIPELINE } from '../../../support/service.ts';

describe('the address of a run', () => {
  it.each([
    ['https://app.example.test/runs/{job-id}', `https://app.example.test/runs/${JOB}`],
    ['https://app.example.test/#/runs?id={job-id}', `https://app.example.test/#/runs?id=${JOB}`],
    ['https://app.example.test/p/{pipeline-id}/runs/{job-id}', `https://app.example.test/p/${PIPELINE}/runs/${JOB}`],
    ['https://app.example.test/p/{pipeline-id}', `https://app.example.test/p/${PIPELINE}`],
    ['  https://app.example.test/{job-id}/{job-id}\n', `https://app.example.test/${JOB}/${JOB}`],
    ['http://localhost:8080/{job-id}', `http://localhost:8080/${JOB}`],
    ['http://[::1]/{job-id}', `http://[::1]/${JOB}`],
    ['https://app.example.test/läufe/{job-id}', `https://app.example.test/l%C3%A4ufe/${JOB}`],
  ])('%s becomes %s', (template, link) => {
    expect(mistakes({ 'run-url': template })).toEqual([]);
    expect(linkTo(aRun(), settings({ 'run-url': template }).runUrl)).toBe(link);
  });

  it.each(['', ' ', '\n'])('is not there when nothing was given (%j)', (template) => {
    expect(linkTo(aRun(), settings({ 'run-url': template }).runUrl)).toBeUndefined();
  });

  it('is not there while an id is not known that it names', () => {
    const both = 'https://app.example.test/{pipeline-id}/{job-id}';
    expect(linkTo(aRun({ jobId: undefined }), both)).toBeUndefined();
    expect(linkTo(aRun({ pipeline: undefined }), both)).toBeUndefined();
    expect(linkTo(aRun({ pipeline: undefined }), 'https://app.example.test/{job-id}')).toMatch(JOB);
  });

  it.each([
    ['https://app.example.test/runs', 'is "https://app.example.test/runs", which does not contain {job-id}'],
    ['https://app.example.test/{id}', 'is "https://app.example.test/{id}", which contains "{id}"'],
    ['https://app.example.test/{JOB-ID}', 'is "https://app.example.test/{JOB-ID}", which contains "{JOB-ID}"'],
    [
      'https://app.example.test/{{job-id}}',
      'is "https://app.example.test/{{job-id}}", which contains an unmatched brace',
    ],
    ['app.example.test/{job-id}', 'is "app.example.test/{job-id}", which is not a URL'],
    ['ftp://app.example.test/{job-id}', 'is "ftp://app.example.test/{job-id}", which does not begin with https://'],
    ['javascript:alert("{job-id}")', `is "javascript:alert('{job-id}')", which does not begin with https://`],
    ['http://app.example.test/{job-id}', 'is "http://app.example.test/{job-id}", which is not https'],
    ['https://me:secret@app.example.test/{job-id}', 'contains credentials'],
    ['https://app.example.test/ {job-id}', 'is "https://app.example.test/ {job-id}", which contains white space'],
    ['https://app.example.test/\n{job-id}', 'is "https://app.example.test/ {job-id}", which contains white space'],
  ])('is refused when it is %j', (template, what) => {
    expect(mistakes({ 'run-url': template })).toEqual([expect.stringContaining(`Input run-url ${what}`)]);
  });

  it('is refused when it is longer than any browser takes', () => {
    const [mistake] = mistakes({ 'run-url': `https://app.example.test/{job-id}${'x'.repeat(2_000)}` });
    expect(mistake).toContain('which is longer than 2000 characters.');
    expect(mistake?.length).toBeLessThan(600);
  });
});

describe('an id as a link', () => {
  it('is code alone without an address', () => {
    expect(codeLink(JOB, undefined)).toBe(`\`${JOB}\``);
  });

  it('ends no link, no cell and no entity before its time', () => {
    const link = codeLink('id', "https://app.example.test/(a)|b*'!?c=1&copy=2&lt;#[x]\\^");
    expect(link).toBe('[`id`](https://app.example.test/%28a%29%7Cb%2A%27%21?c=1&amp;copy=2&amp;lt;#%5Bx%5D%5C%5E)');
  });
});
