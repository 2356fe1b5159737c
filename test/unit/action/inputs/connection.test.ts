// The inputs api-key, base-url and run-url, and an API key in another input. No error shows a secret.
import { describe, expect, it } from 'vitest';
import { linkTo } from '../../../../src/action/inputs/run-url.ts';
import { aRun, errorsFor, mistakes, settings } from '../../../support/action.ts';
import { API_KEY, JOB, PIPELINE } from '../../../support/service.ts';

const SECRET = 'S3cretPart';
const HOST = 'https://app.example.test';

describe('the api-key input', () => {
  it.each(['ak_x', `ak_${SECRET}-._~+/=`, `ak_${'9'.repeat(60)}`])('accepts %s', (key) => {
    expect(settings({ 'api-key': key }).apiKey).toBe(key);
  });

  const invalid = errorsFor({
    'legacy API key': [`eyJhbGciOiJIUzI1NiJ9.${SECRET}.sig`],
    'contains white space': [`ak_${SECRET}\nrest`, `ak_${SECRET}\r\nrest`, `ak_ ${SECRET}`],
    'not an API key': [`KEY=ak_${SECRET}`, `ghp_${SECRET}`, `"ak_${SECRET}"`, `AK_${SECRET}`],
    'contains only the prefix ak_': ['ak_'],
    'an invalid character': [`ak_${SECRET}é`, `ak_${SECRET}\u200B`, `ak_${SECRET}\u0007x`],
  });

  it.each(invalid)('rejects %j with an error that contains "%s" but not the value', (value, words) => {
    const expected: unknown = expect.stringMatching(new RegExp(`^Input api-key (?!.*${SECRET}).*${words}`));
    expect(mistakes({ 'api-key': value })).toEqual([expected]);
  });
});

describe('the base-url input', () => {
  it.each([
    ['https://app.example.test/some/prefix/', 'https://app.example.test/some/prefix'],
    ['HTTPS://APP.Example.test:8443', 'https://app.example.test:8443/'],
    ['http://[::1]:8080', 'http://[::1]:8080/'],
  ])('is normalized from %s to %s', (given, href) => {
    expect(settings({ 'base-url': given }).baseUrl.href).toBe(href);
  });

  it.each([
    'https://user:hunter2@app.example.test',
    'https://hunter2@app.example.test',
    'user:hunter2@app.example.test',
    '//user:hunter2@app.example.test',
  ])('rejects %s without showing the value', (given) => {
    const found = mistakes({ 'base-url': given });
    expect(found).toEqual([expect.stringMatching(/^Input base-url (?:contains|does|is) /)]);
    expect(found.join(' ')).not.toContain('hunter2');
  });
});

describe('the run-url input', () => {
  it.each([
    [`${HOST}/runs/{job-id}`, `${HOST}/runs/${JOB}`],
    [`${HOST}/#/p/{pipeline-id}/r/{job-id}?a=1`, `${HOST}/#/p/${PIPELINE}/r/${JOB}?a=1`],
    [`${HOST}/p/{pipeline-id}`, `${HOST}/p/${PIPELINE}`],
    [`  ${HOST}/{job-id}/{job-id}\n`, `${HOST}/${JOB}/${JOB}`],
    ['http://localhost:8080/{job-id}', `http://localhost:8080/${JOB}`],
    [`${HOST}/läufe/{job-id}`, `${HOST}/l%C3%A4ufe/${JOB}`],
  ])('expands %j to %j', (template, link) => {
    expect(linkTo(aRun(), settings({ 'run-url': template }).runUrl)).toBe(link);
  });

  it.each([
    ['accepts 2,000 characters', 2_000, 0],
    ['rejects 2,001 characters', 2_001, 1],
  ])('%s', (_, length, count) => {
    expect(mistakes({ 'run-url': `${HOST}/{job-id}`.padEnd(length, 'x') })).toHaveLength(count);
  });

  const both = `${HOST}/{pipeline-id}/{job-id}`;

  it.each([
    ['no link if it is not set', aRun(), undefined, undefined],
    ['no link if it contains {job-id} and the id is unknown', aRun({ jobId: undefined }), both, undefined],
    ['no link if it contains {pipeline-id} and the id is unknown', aRun({ pipeline: undefined }), both, undefined],
    ['a link to a run of an unknown pipeline', aRun({ pipeline: undefined }), `${HOST}/{job-id}`, `${HOST}/${JOB}`],
  ])('produces %s', (_, run, template, link) => {
    expect(linkTo(run, template)).toBe(link);
  });

  const invalid = errorsFor({
    'not contain {job-id}': [`${HOST}/runs`, `${HOST}/{job-id`],
    'contains "{': [`${HOST}/{id}`, `${HOST}/{JOB-ID}`],
    'an unmatched brace': [`${HOST}/{{job-id}}`],
    'contains white space': [`${HOST}/ {job-id}`, `${HOST}/\n{job-id}`],
    'is not a URL': ['app.example.test/{job-id}'],
    'uses http ': ['http://app.example.test/{job-id}'],
    begin: ['ftp://app.example.test/{job-id}', 'javascript:alert("{job-id}")'],
    'contains credentials': ['https://hunter2@x.test/{job-id}', 'https://:hunter2@x.test/{job-id}'],
  });

  it.each(invalid)('rejects %j with an error that contains %j but no password', (value, words) => {
    const expected: unknown = expect.stringMatching(new RegExp(`^Input run-url (?!.*hunter2).*${words}`));
    expect(mistakes({ 'run-url': value })).toEqual([expected]);
  });
});

it.each([
  ['pipeline', `orders\n${API_KEY}`],
  ['run-url', `https://app.example.test/{job-id}?key=${API_KEY}`],
  ['base-url', `https://app.example.test/${API_KEY}`],
  ['succeed-on', `completed, ${API_KEY}`],
])('an API key in the %s input causes a single error that does not show it', (name, value) => {
  const found = mistakes({ [name]: value });
  expect(found).toEqual([expect.stringContaining(`Input ${name} contains the API key`)]);
  expect(found.join('\n')).not.toContain(API_KEY);
});

it.each(['ak_', 'ak_01234'])('an API key in another input causes no further error if both inputs are %j', (key) => {
  expect(mistakes({ 'api-key': key, pipeline: key })).toHaveLength(1);
});
