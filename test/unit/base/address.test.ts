// Tests which host addresses are valid, which of them lead to this machine, and how a path is added to them.
import { describe, expect, it } from 'vitest';
import { checkAddress, isLoopback, under } from '../../../src/base/address.ts';

describe('an address', () => {
  it.each([
    ['\u00A0https://a.example.test/ ', 'https://a.example.test/'],
    ['https://a.example.test/p/q///', 'https://a.example.test/p/q'],
    ['https://a.example.test/p/../q', 'https://a.example.test/q'],
    ['http://127.1:80', 'http://127.0.0.1/'],
  ])('such as "%s" is parsed as %s', (text, href) => {
    expect(checkAddress(text)).toMatchObject({ ok: true, url: { href } });
  });

  it.each([
    ['https://user@a.example.test', 'contains credentials'],
    ['ftp://:password@a.example.test/?x#y', 'contains credentials'],
    ['https://a.example.test?', 'contains a query'],
    ['https://a.example.test/#top', 'contains a fragment'],
    ['ws://localhost', 'does not begin with https://'],
    ['http://a.example.test', 'uses http'],
    ['https://127.0.0.1.example.test', 'looks like a loopback'],
    ['a b', 'is not a URL'],
  ])('such as "%s" is rejected because it %s', (text, why) => {
    expect(checkAddress(text)).toEqual({ ok: false, why: expect.stringContaining(why) as string });
  });

  const longest = `https://a.example.test/${'x'.repeat(1_977)}`;

  it('may have 2000 characters', () => {
    expect(checkAddress(longest)).toMatchObject({ ok: true, url: { href: longest } });
  });

  it('may not have 2001 characters', () => {
    expect(checkAddress(`${longest}x`)).toEqual({ ok: false, why: 'is longer than 2000 characters' });
  });

  it.each([
    ['may not use http, even on this machine, if the caller forbids it', 'http://localhost:1', false],
    ['may use http, even on another machine, if the caller allows it', 'http://a.example.test', true],
  ])('%s', (_, text, isAllowed) => {
    expect(checkAddress(text, () => isAllowed).ok).toBe(isAllowed);
  });

  it.each(['LOCALHOST:1', '127.0.0.1', '127.99.10.25', '[::1]'])('is a loopback address if its host is %s', (host) => {
    expect(isLoopback(new URL(`http://${host}`))).toBe(true);
  });

  const others = ['0.0.0.0', '128.0.0.1', '[::]', '[::ffff:127.0.0.1]', '127.0.0.1.test', 'localhost.x', 'xlocalhost'];
  it.each(others)('is not a loopback address if its host is %s', (host) => {
    expect(isLoopback(new URL(`http://${host}`))).toBe(false);
  });

  it.each(['', '/p', '/p/'])('with the path "%s" is joined to a request path with exactly one slash', (path) => {
    const joined = under(new URL(`https://a.example.test${path}`), '/rest/v1/jobs?id=eq.1').href;
    expect(joined).toBe(`https://a.example.test${path.replace(/\/$/, '')}/rest/v1/jobs?id=eq.1`);
  });
});
