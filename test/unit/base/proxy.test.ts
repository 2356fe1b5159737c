import { describe, expect, it } from 'vitest';
import { checkProxy } from '../../../src/base/proxy.ts';

describe('the proxy for https', () => {
  it.each([
    ['http://proxy.example.test:3128', 'http://proxy.example.test:3128/'],
    ['http://proxy.example.test', 'http://proxy.example.test/'],
    ['HTTPS://proxy.example.test:8443/', 'https://proxy.example.test:8443/'],
    ['proxy.example.test:3128', 'http://proxy.example.test:3128/'],
    ['localhost:3128', 'http://localhost:3128/'],
    ['10.0.0.1:3128', 'http://10.0.0.1:3128/'],
    ['user:p%40ss@proxy.example.test:3128', 'http://user:p%40ss@proxy.example.test:3128/'],
    ['[2001:db8::1]:3128', 'http://[2001:db8::1]:3128/'],
    [' proxy.example.test ', 'http://proxy.example.test/'],
  ])('is read from %s', (value, url) => {
    const check = checkProxy({ https_proxy: value }, 'https:');
    expect(check.ok && check.url?.href).toBe(url);
  });

  it.each([
    [{ https_proxy: 'a', HTTPS_PROXY: 'b' }, 'http://a/'],
    [{ https_proxy: '', HTTPS_PROXY: 'b' }, 'http://b/'],
    [{ https_proxy: ' ', HTTPS_PROXY: 'b', http_proxy: 'c' }, 'http://b/'],
    [{ http_proxy: 'c', HTTP_PROXY: 'd' }, undefined],
  ])('is in the first variable that is set: %o', (env, url) => {
    const check = checkProxy(env, 'https:');
    expect(check.ok && check.url?.href).toBe(url);
  });

  it.each([
    ['http://user:secret@proxy.example.test:99999', 'is not a valid address'],
    ['http://user:secret@proxy.example.test:port', 'is not a valid address'],
    ['user:secret@', 'is not a valid address'],
    ['http://user:secret@proxy:0', 'has the port 0'],
    ['http://', 'is not a valid address'],
    ['http://user:secret%zz@proxy', 'contains a % that is not part of a percent-encoded character'],
    ['http://secret%zz@proxy', 'contains a % that is not part of a percent-encoded character'],
    ['socks5://user:secret@proxy:1080', 'does not begin with http:// or https://'],
    ['http://user:1/secret@proxy:3128', 'contains a path, a query or a fragment'],
    ['http://user:1#secret@proxy:3128', 'contains a path, a query or a fragment'],
    ['http://user:1?secret@proxy:3128', 'contains a path, a query or a fragment'],
    ['http://proxy:3128/secret.pac', 'contains a path, a query or a fragment'],
    ['http://proxy:3128?', 'contains a path, a query or a fragment'],
  ])('cannot be %s, and why does not show it', (value, why) => {
    expect(checkProxy({ HTTPS_PROXY: value }, 'https:')).toEqual({ ok: false, variable: 'HTTPS_PROXY', why });
  });
});
