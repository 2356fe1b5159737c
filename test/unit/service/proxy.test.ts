import { describe, expect, it } from 'vitest';
import { proxyFor, proxySecrets, unknownNoProxyEntries } from '../../../src/service/proxy.ts';

const API = 'https://api.example.test';
const https_proxy = 'http://proxy.test:3128';

const isProxied = (no_proxy: string, url = API): boolean =>
  proxyFor(new URL(url), { https_proxy, no_proxy }) !== undefined;

describe('the proxy', () => {
  it.each([
    ['http://proxy.test:3128', 'http://proxy.test:3128/'],
    ['https://proxy.test', 'https://proxy.test/'],
    [' proxy.test:3128 ', 'http://proxy.test:3128/'],
    ['http://user:pass%40word@proxy.test', 'http://user:pass%40word@proxy.test/'],
    ['http://user:100%@proxy.test', 'http://user:100%25@proxy.test/'],
    ['http://user:^%2f%@proxy.test', 'http://user:%5E%2F%25@proxy.test/'],
  ])('%j is used', (value, href) => {
    expect(proxyFor(new URL(API), { https_proxy: value })?.href).toBe(href);
  });

  it.each([
    'socks5://proxy.test/',
    'http://user:secret@proxy.test:99999',
    'http://user:sec/ret@proxy.test',
    'http://user:12/34@proxy.test',
    'http://user:12?34@proxy.test',
    'http://user:12#34@proxy.test',
    'http://proxy.test:0',
    'http://',
  ])('%j is reported as unusable, without its value', (value) => {
    const read = () => proxyFor(new URL(API), { HTTPS_PROXY: value });
    expect(read).toThrow('the HTTPS_PROXY environment variable is not a valid URL');
  });

  it.each([
    ['not set', API, {}],
    ['blank', API, { https_proxy: ' ', HTTPS_PROXY: '' }],
    ['for another protocol', API, { http_proxy: https_proxy }],
    ['not needed to reach this machine', 'https://127.0.0.1', { https_proxy }],
    ['not needed to reach localhost', 'http://localhost:8080', { https_proxy, http_proxy: https_proxy }],
  ])('is not used if it is %s', (_why, url, env) => {
    expect(proxyFor(new URL(url), env)).toBeUndefined();
  });

  it('is read from the lower-case variable if both are set', () => {
    const env = { https_proxy, HTTPS_PROXY: 'http://other.test' };
    expect(proxyFor(new URL(API), env)?.host).toBe('proxy.test:3128');
  });
});

describe('an entry of no_proxy', () => {
  it.each([
    ['*', API],
    ['api.example.test', API],
    ['API.Example.Test', API],
    ['example.test', API],
    ['.example.test', API],
    ['*.example.test', API],
    ['api.example.test:443', API],
    ['.example.test:8443', `${API}:8443`],
    ['a.test,api.example.test', API],
    ['a.test api.example.test', API],
    [' a.test ,\tapi.example.test\n', API],
    ['10.0.0.0/8', 'https://10.1.2.3'],
    ['10.1.0.0/16', 'https://10.1.2.3'],
    ['10.1.2.3', 'https://10.1.2.3'],
    ['10.1.2.3:8443', 'https://10.1.2.3:8443'],
    ['fd00::/8', 'https://[fd12::1]'],
    ['[fd00::]/8', 'https://[fd12::1]'],
    ['fd12:0:0::1', 'https://[fd12::1]'],
    ['[fd12::1]:443', 'https://[fd12::1]'],
    ['bücher.test', 'https://api.bücher.test'],
    ['api.example.test.', API],
  ])('%j exempts %s', (entry, url) => {
    expect(isProxied(entry, url)).toBe(false);
    expect(unknownNoProxyEntries({ no_proxy: entry })).toEqual([]);
  });

  it.each([
    ['', API],
    ['ample.test', API],
    ['.api.example.test', API],
    ['*.api.example.test', API],
    ['api.example.test:8443', API],
    ['apixexample.test', API],
    ['10.0.0.0/8', 'https://11.1.2.3'],
    ['10.0.0.0/8', 'https://10.example.test'],
    ['::/0', 'https://10.1.2.3'],
    ['fd12::2', 'https://[fd12::1]'],
    ['[fd12::1]:8443', 'https://[fd12::1]'],
  ])('%j does not exempt %s', (entry, url) => {
    expect(isProxied(entry, url)).toBe(true);
    expect(unknownNoProxyEntries({ no_proxy: entry })).toEqual([]);
  });

  it.each([
    'https://api.example.test',
    'api.*.test',
    '10.0.0.0/33',
    '10.*',
    'example.test/path',
    '.',
    '[fd12::1]x',
    'b.test;example.test',
    'b.test|example.test',
    '10.',
    '10.1',
    'https://10.1.2.3',
  ])('%j is not recognized and has no effect', (entry) => {
    expect(isProxied(entry)).toBe(true);
    expect(unknownNoProxyEntries({ NO_PROXY: `a.test,${entry} ${entry}` })).toEqual([entry]);
  });
});

it('no_proxy is read from the upper-case variable if the lower-case one is empty', () => {
  expect(proxyFor(new URL(API), { https_proxy, no_proxy: '', NO_PROXY: 'example.test' })).toBeUndefined();
  expect(unknownNoProxyEntries({ no_proxy: '' })).toEqual([]);
});

describe('the secrets of the proxy', () => {
  it.each([
    ['http://user:pass@proxy.test', ['pass', 'dXNlcjpwYXNz']],
    ['user:pass@proxy.test', ['pass', 'dXNlcjpwYXNz']],
    ['http://proxy.test', []],
    ['http://user@proxy.test', ['dXNlcjo=']],
    ['http://user:@proxy.test', ['dXNlcjo=']],
    ['http://us%40er:p%40ss@proxy.test', ['p%40ss', 'p@ss', Buffer.from('us@er:p@ss').toString('base64')]],
    ['http://user:p^ss@proxy.test', ['p^ss', 'p%5Ess']],
    ['http://user:%70%2fss%@proxy.test', ['%70%2fss%', 'p/ss%', 'p%2Fss%25']],
    [
      'http://user@example.test:pass@proxy.test:3128',
      ['pass', Buffer.from('user@example.test:pass').toString('base64')],
    ],
  ])('%j are %j', (value, expected) => {
    for (const name of ['https_proxy', 'HTTPS_PROXY']) {
      const all = proxySecrets(new URL(API), { [name]: value });
      expect(all, name).toEqual(expect.arrayContaining(expected));
      expect(all, 'an empty text or a user name').not.toContainEqual(expect.stringMatching(/^(?:|user)$/));
      if (expected.length === 0) expect(all).toEqual([]);
    }
  });

  it.each([
    [
      'the action does not use',
      { http_proxy: 'http://user:pass@proxy.test', ALL_PROXY: 'http://user:pass@proxy.test' },
    ],
    ['another variable replaces', { https_proxy: 'http://proxy.test', HTTPS_PROXY: 'http://user:pass@proxy.test' }],
    ['the host is exempt from', { https_proxy: 'http://user:pass@proxy.test', no_proxy: 'example.test' }],
    ['is unusable', { https_proxy: 'socks5://user:pass@proxy.test' }],
  ])('do not include those of a proxy that %s', (_, env) => {
    expect(proxySecrets(new URL(API), env)).toEqual([]);
  });
});
