import { describe, expect, it } from 'vitest';
import { mistakes, settings } from '../../../support/action.ts';

describe('the input base-url', () => {
  it.each([
    ['https://app.example.test', 'https://app.example.test/'],
    ['https://app.example.test/', 'https://app.example.test/'],
    ['https://app.example.test/some/prefix/', 'https://app.example.test/some/prefix'],
    ['https://app.example.test//', 'https://app.example.test/'],
    ['HTTPS://APP.Example.test:8443', 'https://app.example.test:8443/'],
    ['https://xn--bcher-kva.example', 'https://xn--bcher-kva.example/'],
    ['http://localhost:8080', 'http://localhost:8080/'],
    ['http://127.0.0.1:8080/prefix', 'http://127.0.0.1:8080/prefix'],
    ['http://127.9.8.7', 'http://127.9.8.7/'],
    ['http://[::1]:8080', 'http://[::1]:8080/'],
  ])('takes %s', (given, taken) => {
    expect(settings({ 'base-url': given }).baseUrl.href).toBe(taken);
  });

  it.each([
    ['app.example.test', 'is "app.example.test", which is not a URL'],
    ['https://', 'is "https://", which is not a URL'],
    ['https://app example test', 'is "https://app example test", which is not a URL'],
    ['localhost:8080', 'is "localhost:8080", which does not begin with https://'],
    ['ftp://app.example.test', 'is "ftp://app.example.test", which does not begin with https://'],
    ['file:///etc/passwd', 'is "file:///etc/passwd", which does not begin with https://'],
    ['javascript:alert(1)', 'is "javascript:alert(1)", which does not begin with https://'],
    ['http://app.example.test', 'is "http://app.example.test", which is not https'],
    ['http://0.0.0.0', 'is "http://0.0.0.0", which is not https'],
    ['http://localhost.example.test', 'is "http://localhost.example.test", which is not https'],
    ['http://127.0.0.1.example.test', 'is "http://127.0.0.1.example.test", which is not https'],
    ['http://128.0.0.1', 'is "http://128.0.0.1", which is not https'],
    ['https://app.example.test/?a=b', 'is "https://app.example.test/?a=b", which contains a query'],
    ['https://app.example.test/?', 'is "https://app.example.test/?", which contains a query'],
    ['https://app.example.test/#top', 'is "https://app.example.test/#top", which contains a fragment'],
    ['https://app.example.test/#', 'is "https://app.example.test/#", which contains a fragment'],
  ])('refuses %s', (given, what) => {
    expect(mistakes({ 'base-url': given })).toEqual([expect.stringContaining(`Input base-url ${what}`)]);
  });

  it.each([
    ['https://user:hunter2@app.example.test', 'contains credentials'],
    ['https://hunter2@app.example.test', 'contains credentials'],
    ['https://:hunter2@app.example.test', 'contains credentials'],
    ['http://user:hunter2@app.example.test/?x#y', 'contains credentials'],
    ['ftp://user:hunter2@app.example.test', 'contains credentials'],
    ['user:hunter2@app.example.test', 'does not begin with https://'],
    ['//user:hunter2@app.example.test', 'is not a URL'],
  ])('refuses what may hold a password, without showing it (%#)', (given, what) => {
    const said = mistakes({ 'base-url': given });
    expect(said).toEqual([expect.stringContaining(`Input base-url ${what}`)]);
    expect(said.join(' ')).not.toContain('hunter2');
  });
});
