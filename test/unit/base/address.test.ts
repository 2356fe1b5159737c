import { describe, expect, it } from 'vitest';
import { checkAddress, isLoopback, under } from '../../../src/base/address.ts';

function hrefOf(text: string): string {
  const checked = checkAddress(text);
  return checked.ok ? checked.url.href : checked.why;
}

describe('the address of a host', () => {
  it.each([
    [' https://a.example.test/ ', 'https://a.example.test/'],
    ['https://a.example.test/p/q///', 'https://a.example.test/p/q'],
    ['https://a.example.test/p/../q', 'https://a.example.test/q'],
    ['http://127.1:80', 'http://127.0.0.1/'],
    ['https://user@a.example.test', 'contains credentials'],
    ['https://a.example.test?', 'contains a query'],
    ['https://a.example.test#', 'contains a fragment'],
    ['ws://localhost', 'does not begin with https://'],
    ['http://a.example.test', 'is not https (http is allowed only for hosts on this machine)'],
    ['a', 'is not a URL'],
  ])('%s is taken as, or refused because it: %s', (text, result) => {
    expect(hrefOf(text)).toBe(result);
  });

  it('may be http only where the caller says so', () => {
    expect(checkAddress('http://localhost:1', () => false)).toEqual({
      ok: false,
      why: 'is not https (http is allowed only for hosts on this machine)',
    });
    expect(checkAddress('http://a.example.test', () => true).ok).toBe(true);
  });
});

describe('this machine', () => {
  it.each(['http://localhost', 'http://LOCALHOST:1', 'http://127.0.0.1', 'http://127.255.255.254', 'http://[::1]'])(
    'is at %s',
    (url) => {
      expect(isLoopback(new URL(url))).toBe(true);
    },
  );

  it.each([
    'http://0.0.0.0',
    'http://[::]',
    'http://10.0.0.1',
    'http://127.0.0.1.nip.test',
    'http://localhost.test',
    'http://[::ffff:127.0.0.1]',
  ])('is not at %s', (url) => {
    expect(isLoopback(new URL(url))).toBe(false);
  });
});

describe('a path under an address', () => {
  it.each([
    ['https://a.example.test/', 'https://a.example.test/rest/v1/jobs?id=eq.1'],
    ['https://a.example.test/p', 'https://a.example.test/p/rest/v1/jobs?id=eq.1'],
    ['https://a.example.test/p/', 'https://a.example.test/p/rest/v1/jobs?id=eq.1'],
  ])('%s', (base, joined) => {
    expect(under(new URL(base), '/rest/v1/jobs?id=eq.1').href).toBe(joined);
  });
});
