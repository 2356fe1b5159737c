// Tests the descriptions of response bodies in messages, and the detection of web pages.
import { describe, expect, it } from 'vitest';
import { bodyWords, isHtml } from '../../../src/service/problem.ts';
import { parseJson } from '../../../src/service/reply.ts';

function described(body: unknown, type = ''): string {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const json = parseJson(text);
  return bodyWords({ json, text: json === undefined ? text : '', headers: { 'content-type': type } });
}

describe('the description of a response body', () => {
  it.each<[string, unknown, string]>([
    ['the message, code and hint', { message: 'no', code: '42501', hint: 'a\nb' }, '"no" (code 42501, hint: "a b")'],
    ['no hint if it is null', { message: 'no', code: 'P0001', hint: null, details: null }, '"no" (code P0001)'],
    ['no hint if it is blank', { message: 'no', code: 'P1', hint: ' \n' }, '"no" (code P1)'],
    ['a code that is a number', { msg: 'expired', code: 400 }, '"expired" (code 400)'],
    ['the description of a login error', { error: 'invalid_grant', error_description: 'Expired' }, '"Expired"'],
    ['the message of a nested error', { error: { message: 'nested' } }, '"nested"'],
    ['an error that is a string', { error: 'bad' }, '"bad"'],
    ['the first message that is not blank', { message: ' \n', msg: '\t', error: 'no' }, '"no"'],
    ['the first message that is a string', { message: 7, error: { message: 'no' } }, '"no"'],
    ['the JSON of an object that has no message', { message: ' ', code: '1' }, `"{'message':' ','code':'1'}"`],
    ['the text of a JSON string', '"just words"', '"just words"'],
    ['the digits of a JSON number', '17', '"17"'],
    ['plain text on one line', 'upstream\r\n  unavailable\n', '"upstream unavailable"'],
    ['no text if the body is blank', ' \n ', ''],
    ['at most 160 characters of plain text', 'x'.repeat(1_000_000), `"${'x'.repeat(159)}…"`],
    ['a message of at most 300 characters', { message: 'x'.repeat(5_000) }, `"${'x'.repeat(299)}…"`],
    ['a hint of at most 300 characters', { msg: 'no', hint: 'x'.repeat(5_000) }, `"no" (hint: "${'x'.repeat(299)}…")`],
    ['a code of at most 40 characters', { msg: 'no', code: 'x'.repeat(5_000) }, `"no" (code ${'x'.repeat(39)}…)`],
  ])('contains %s', (_what, body, expected) => {
    expect(described(body)).toBe(expected);
  });

  it.each([
    ['contains a page title that has attributes', '<html><TITLE lang="en"> Sign\n in </TITLE>', ' titled "Sign in"'],
    ['contains a page title without a closing tag', '<html><title>Sign in', ' titled "Sign in"'],
    ['contains no page title if it is blank', '<html><title> \n </title>', ''],
    ['contains no page title if it is missing', '<html><h1>Sign in</h1>', ''],
    ['contains a title after 65,536 spaces', `<html>${' '.repeat(65_536)}<title>Sign in</title>`, ' titled "Sign in"'],
  ])('%s', (_how, page, title) => {
    expect(described(page, 'text/html; charset=utf-8')).toBe(`with a web page${title}`);
  });
});

const PAGE = 'a web page';

it.each([
  ['TEXT/HTML;charset=utf-8', PAGE],
  ['application/xhtml+xml', PAGE],
  ['text/plain', 'not a web page'],
  ['application/json; profile="text/html"', 'not a web page'],
])('a response body with the content type %s is %s', (type, what) => {
  expect(isHtml({ text: '', headers: { 'content-type': type } })).toBe(what === PAGE);
});

describe.each([
  ['without a content type', {}],
  ['whose content type is JSON', { 'content-type': 'application/json' }],
])('a response body %s', (_type, headers) => {
  it.each([
    ['<!doctype\n  html public>', PAGE],
    ['\n  <html lang="en">', PAGE],
    ['<head><title>', PAGE],
    ['<BODY>', PAGE],
    ['<header>', 'not a web page'],
    ['<!doctypehtml>', 'not a web page'],
    ['upstream said <html>', 'not a web page'],
    ['upstream<html>', 'not a web page'],
  ])('that starts with %j is %s', (text, what) => {
    expect(isHtml({ text, headers })).toBe(what === PAGE);
  });
});
