// Addresses of hosts: valid ones, invalid ones, and those on this machine.
import { describe, expect, it } from 'vitest';
import { checkAddress, isLoopback, under } from '../../../src/base/address.ts';

describe('an address', () => {
  it.each([
    [' https://a.example.test/ ', 'https://a.example.test/'],
    ['https://a.example.test/p/q///', 'https://a.example.test/p/q'],
    ['https://a.example.test/p/../q', 'https://a.example.test/q'],
    ['https://xn--bcher-kva.example', 'https://xn--bcher-kva.example/'],
    ['http://127.1:80', 'http://127.0.0.1/'],
    ['https://127.0.0.1', 'https://127.0.0.1/'],
    [`https://a.example.test/${'x'.repeat(1_977)}`, `https://a.example.test/${'x'.repeat(1_977)}`],
    ['https://user@a.example.test', 'contains credentials'],
    ['ftp://:password@a.example.test/?x#y', 'contains credentials'],
    ['https://a.example.test?', 'contains a query'],
    ['https://a.example.test/#top', 'contains a fragment'],
    ['ws://localhost', 'not begin with https://'],
    ['localhost:8080', 'not begin with https://'],
    ['file:///etc/passwd', 'not begin with https://'],
    ['http://a.example.test', 'is not https'],
    ['https://127.0.0.1.example.test', 'a host name that'],
    ['a b', 'is not a URL'],
    ['https://', 'is not a URL'],
    [`https://a.example.test/${'x'.repeat(1_978)}`, 'longer than 2000 characters'],
  ])('%s has the result "%s", which is a URL or the reason for an error', (text, result) => {
    const checked = checkAddress(text);
    expect(checked.ok ? checked.url.href : checked.why).toContain(result);
    expect(checked.ok).toBe(result.startsWith('http'));
  });

  it('may use http only if the caller allows it', () => {
    expect(checkAddress('http://localhost:1', () => false).ok).toBe(false);
    expect(checkAddress('http://a.example.test', () => true).ok).toBe(true);
  });

  const local = ['http://localhost', 'http://LOCALHOST:1', 'http://127.0.0.1', 'http://127.9.255.254', 'http://[::1]'];
  const numbers = ['http://0.0.0.0', 'http://128.0.0.1', 'http://[::]', 'http://[::ffff:127.0.0.1]'];

  it.each([...local, ...numbers, 'http://127.0.0.1.nip.test', 'http://localhost.test'])(
    'is local only if it has a loopback host, as the check of %s shows',
    (url) => {
      expect(isLoopback(new URL(url))).toBe(local.includes(url));
    },
  );

  it.each(['https://a.example.test', 'https://a.example.test/p', 'https://a.example.test/p/'])(
    '%s keeps its path prefix before the path of a request',
    (base) => {
      const joined = under(new URL(base), '/rest/v1/jobs?id=eq.1').href;
      expect(joined).toBe(`${base.replace(/\/$/, '')}/rest/v1/jobs?id=eq.1`);
    },
  );
});
