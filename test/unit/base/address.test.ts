// Which addresses may receive secrets, and how a path is appended to them.
import { describe, expect, it } from 'vitest';
import { checkAddress, isLoopback, under } from '../../../src/base/address.ts';

describe('an address', () => {
  it.each([
    ['https://a.example.test/p/q/', 'https://a.example.test/p/q/'],
    ['https://a.example.test/p/../q', 'https://a.example.test/q'],
    ['http://127.1:80', 'http://127.0.0.1/'],
    ['http://localhost:4000', 'http://localhost:4000/'],
  ])('such as %s is accepted as %s', (text, href) => {
    expect(checkAddress(text)).toMatchObject({ url: { href } });
  });

  it.each([
    ['a b', 'is not a URL'],
    ['', 'is not a URL'],
    ['https://user@a.example.test', 'contains credentials'],
    ['ftp://:password@a.example.test/?x#y', 'contains credentials'],
    ['ws://localhost', 'does not begin with https://'],
    ['https://a.example.test?', 'contains a query'],
    ['https://a.example.test/#', 'contains a fragment'],
    ['http://a.example.test', 'uses http (allowed only for loopback addresses)'],
    ['http://localhost.example.test', 'uses http (allowed only for loopback addresses)'],
  ])('such as "%s" is rejected because it %s', (text, why) => {
    expect(checkAddress(text)).toEqual({ why });
  });

  it('of more than 2,048 characters is rejected because it is too long', () => {
    expect(checkAddress(`https://a.example.test/${'a'.repeat(2_048)}`)).toEqual({ why: 'is too long' });
  });

  it.each([
    ['accepted if its caller allows http', true],
    ['rejected if its caller forbids http', false],
  ])('is %s', (_, mayUseHttp) => {
    expect('url' in checkAddress('http://a.example.test', () => mayUseHttp)).toBe(mayUseHttp);
  });

  it.each(['LOCALHOST:1', '127.0.0.1', '127.99.10.25', '[::1]'])('with the host %s is on this machine', (host) => {
    expect(isLoopback(new URL(`http://${host}`))).toBe(true);
  });

  it.each(['0.0.0.0', '128.0.0.1', '[::]', '[::ffff:127.0.0.1]', '127.0.0.1.test', 'localhost.x', 'xlocalhost'])(
    'with the host %s is not on this machine',
    (host) => {
      expect(isLoopback(new URL(`http://${host}`))).toBe(false);
    },
  );

  it.each(['', '/p', '/p/', '/p///'])('with the path "%s" gets exactly one slash before a request path', (path) => {
    const { href } = under(new URL(`https://a.example.test${path}`), '/rest/v1/jobs?id=eq.1');
    expect(href).toBe(`https://a.example.test${path.replace(/\/+$/, '')}/rest/v1/jobs?id=eq.1`);
  });
});
