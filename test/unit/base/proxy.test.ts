// Tests how the action reads the proxy for https from environment variables.
import { describe, expect, it } from 'vitest';
import { checkProxy } from '../../../src/base/proxy.ts';
import { errorsFor } from '../../support/action.ts';

describe('the proxy for https', () => {
  it.each([
    ['http://proxy.example.test:3128', 'http://proxy.example.test:3128/', true],
    ['HTTPS://proxy.example.test:8443/', 'https://proxy.example.test:8443/', true],
    ['localhost:3128', 'http://localhost:3128/', false],
    ['user:p%40ss@proxy.example.test:3128', 'http://user:p%40ss@proxy.example.test:3128/', false],
    ['[2001:db8::1]:3128', 'http://[2001:db8::1]:3128/', false],
    [' http://proxy.example.test ', 'http://proxy.example.test/', false],
  ])('with the value %j has the address %s', (value, href, isPlain) => {
    expect(checkProxy({ HTTPS_PROXY: value }, 'https:')).toEqual({ ok: true, url: new URL(href), isPlain });
  });

  it.each([
    [{ https_proxy: 'a', HTTPS_PROXY: 'b' }, 'http://a/'],
    [{ https_proxy: '', HTTPS_PROXY: 'b' }, 'http://b/'],
    [{ https_proxy: ' ', HTTPS_PROXY: 'b', http_proxy: 'c' }, 'http://b/'],
    [{ http_proxy: 'c', HTTP_PROXY: 'd' }, undefined],
  ])('with the variables %j is %s', (env, href) => {
    const check = checkProxy(env, 'https:');
    expect(check.ok && check.url?.href).toBe(href);
  });

  const marked = ['/', '#', '?'].map((mark) => `http://user:1${mark}secret@proxy:3128`);
  const invalid = errorsFor({
    'not a valid address': ['user:secret@proxy:99999', 'http://user:secret@proxy:port', 'user:secret@', 'http://'],
    'uses port 0': ['http://user:secret@proxy:0'],
    'contains a %': ['http://user:secret%zz@proxy', 'http://secret%zz@proxy'],
    'does not begin': ['socks5://user:secret@proxy:1080', 'socks+http://user:secret@proxy'],
    'contains a path': [...marked, 'http://proxy:3128/secret.pac', 'http://proxy:3128?'],
  });

  it.each(invalid)('with the value %j is rejected with an error that contains "%s" but no secret', (value, words) => {
    const why: unknown = expect.stringMatching(new RegExp(`^(?!.*secret).*${words}`));
    expect(checkProxy({ HTTPS_PROXY: value }, 'https:')).toEqual({ ok: false, variable: 'HTTPS_PROXY', why });
  });
});
