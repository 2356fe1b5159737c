// Tests the descriptions of response bodies in messages, and the detection of web pages.
import { describe, expect, it } from 'vitest';
import { bodyWords, isHtml } from '../../../src/service/problem.ts';
import { parseJson } from '../../../src/service/reply.ts';

function described(body: unknown, type = ''): string {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const json = parseJson(text);
  return bodyWords({ json, text: json === undefined ? text : '', headers: { 'content-type': type } });
}

describe('the description of a body', () => {
  it.each<[string, unknown, string]>([
    [
      'the message, code and hint of PostgREST',
      { message: 'no', code: '42501', hint: 'a\nb' },
      '"no" (code 42501, hint: "a b")',
    ],
    ['no hint that is null', { message: 'no', code: 'P0001', hint: null, details: null }, '"no" (code P0001)'],
    ['no hint that is blank', { message: 'no', code: 'P1', hint: ' \n' }, '"no" (code P1)'],
    ['no hint that is not a string', { message: 'no', hint: ['Ask.'] }, '"no"'],
    ['a hint without white space around it', { message: 'no', hint: ' Ask. ' }, '"no" (hint: "Ask.")'],
    ['a code that is a number', { msg: 'expired', code: 400 }, '"expired" (code 400)'],
    ['the description of a log-in error', { error: 'invalid_grant', error_description: 'Expired' }, '"Expired"'],
    ['the message of a nested error', { error: { message: 'nested' } }, '"nested"'],
    ['an error that is a string', { error: 'bad' }, '"bad"'],
    ['the next member if a message is empty', { message: '', msg: 'expired' }, '"expired"'],
    ['the next member if messages are blank', { message: ' \n', msg: '\t', error: 'no' }, '"no"'],
    ['the next member if a message is not a string', { message: 7, error: { message: 'no' } }, '"no"'],
    ['the JSON of an object without a message', { message: ' ', code: '1' }, `"{'message':' ','code':'1'}"`],
    ['a JSON string', '"just words"', '"just words"'],
    ['a JSON number', '17', '"17"'],
    ['a text on one line', 'upstream\r\n  unavailable\n', '"upstream unavailable"'],
    ['nothing of a blank body', ' \n ', ''],
    ['160 characters of a text', 'x'.repeat(1_000_000), `"${'x'.repeat(159)}…"`],
    ['300 characters of a message', { message: 'x'.repeat(5_000) }, `"${'x'.repeat(299)}…"`],
    ['300 characters of a hint', { msg: 'no', hint: 'x'.repeat(5_000) }, `"no" (hint: "${'x'.repeat(299)}…")`],
    ['40 characters of a code', { msg: 'no', code: 'x'.repeat(5_000) }, `"no" (code ${'x'.repeat(39)}…)`],
  ])('contains %s', (_what, body, expected) => {
    expect(described(body)).toBe(expected);
  });

  it.each([
    ['has attributes', '<html><TITLE lang="en"> Sign\n in </TITLE>', ' titled "Sign in"'],
    ['is not closed', '<html><title>Sign in', ' titled "Sign in"'],
    ['is empty', '<html><title></title>', ''],
    ['is blank', '<html><title> \n </title>', ''],
    ['is missing', '<html><h1>Sign in</h1>', ''],
    ['is far below', `<html>${' '.repeat(65_536)}<title>Sign in</title>`, ' titled "Sign in"'],
  ])('contains the title of a web page only if there is one (the title %s)', (_how, page, title) => {
    expect(described(page, 'text/html; charset=utf-8')).toBe(`with a web page${title}`);
  });
});

describe('a body', () => {
  it.each([
    ['text/html', true],
    ['TEXT/HTML;charset=utf-8', true],
    ['application/xhtml+xml', true],
    ['text/plain', false],
    ['application/json; profile="text/html"', false],
    ['x-text/html', false],
  ])('of the type %s counts as a web page: %s', (type, isPage) => {
    expect(isHtml({ text: '', headers: { 'content-type': type } })).toBe(isPage);
  });

  it.each([
    ['<!DOCTYPE html>', true],
    ['<!doctype\n  html public>', true],
    ['\n  <html lang="en">', true],
    ['<head><title>', true],
    ['<BODY>', true],
    ['<header>', false],
    ['<!doctypehtml>', false],
    ['upstream said <html>', false],
    ['upstream<html>', false],
    ['{"page":"<html>"}', false],
    ['', false],
  ])('that starts with %j counts as a web page with or without a type: %s', (text, isPage) => {
    expect(isHtml({ text, headers: {} })).toBe(isPage);
    expect(isHtml({ text, headers: { 'content-type': 'application/json' } })).toBe(isPage);
  });
});
