// The inputs api-key and base-url, which configure the connection. No message shows a secret in them.
import { describe, expect, it } from 'vitest';
import { mistakes, settings } from '../../../support/action.ts';
import { API_KEY } from '../../../support/service.ts';

const SECRET = 'S3cretPart';

describe('the input api-key', () => {
  it.each(['ak_x', `ak_${SECRET}-._~+/=`, `ak_${'9'.repeat(500)}`])('accepts %s', (key) => {
    expect(settings({ 'api-key': key }).apiKey).toBe(key);
  });

  it.each([
    ['legacy API key', [`eyJhbGciOiJIUzI1NiJ9.${SECRET}.sig`]],
    ['contains white space', [`ak_${SECRET}\nrest`, `ak_${SECRET}\r\nrest`, `ak_ ${SECRET}`]],
    ['not an API key', [`KEY=ak_${SECRET}`, `ghp_${SECRET}`, `"ak_${SECRET}"`, `AK_${SECRET}`]],
    ['ends after ak_', ['ak_']],
    ['an invalid character', [`ak_${SECRET}é`, `ak_${SECRET}\u200B`, `ak_${SECRET}\u0007x`]],
  ])('does not appear in the error that contains "%s"', (words, keys) => {
    const found = keys.flatMap((key) => mistakes({ 'api-key': key }));
    const expected: unknown = expect.stringMatching(new RegExp(`^Input api-key (?!.*${SECRET}).*${words}`));
    expect(found).toEqual(keys.map(() => expected));
  });
});

describe('the input base-url', () => {
  it.each([
    ['https://app.example.test', 'https://app.example.test/'],
    ['https://app.example.test/some/prefix/', 'https://app.example.test/some/prefix'],
    ['HTTPS://APP.Example.test:8443', 'https://app.example.test:8443/'],
    ['http://[::1]:8080', 'http://[::1]:8080/'],
  ])('turns %s into %s', (given, href) => {
    expect(settings({ 'base-url': given }).baseUrl.href).toBe(href);
  });

  it.each([
    'https://user:hunter2@app.example.test',
    'https://hunter2@app.example.test',
    'user:hunter2@app.example.test',
    '//user:hunter2@app.example.test',
  ])('rejects %s without showing the value', (given) => {
    const found = mistakes({ 'base-url': given });
    expect(found).toEqual([expect.stringMatching(/^Input base-url (?:contains|does not|is not)/)]);
    expect(found.join(' ')).not.toContain('hunter2');
  });
});

describe('an API key in another input', () => {
  it.each([
    ['pipeline', `orders\n${API_KEY}`],
    ['timeout', API_KEY],
    ['job-id', API_KEY],
    ['run-url', `https://app.example.test/{job-id}?key=${API_KEY}`],
    ['base-url', `https://app.example.test/${API_KEY}`],
    ['succeed-on', `completed, ${API_KEY}`],
  ])('causes a single error that does not show the value of %s', (name, value) => {
    const found = mistakes({ [name]: value });
    expect(found).toEqual([expect.stringContaining(`Input ${name} contains the API key`)]);
    expect(found.join('\n')).not.toContain(API_KEY);
  });

  it('causes no further error if the key is only the prefix ak_', () => {
    expect(mistakes({ 'api-key': 'ak_', pipeline: 'ak_orders' })).toHaveLength(1);
  });
});
