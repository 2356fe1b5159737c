import { describe, expect, it } from 'vitest';
import { bodyWords, isHtml } from '../../../src/service/problem.ts';
import { parseJson } from '../../../src/service/reply.ts';

const HTML = { 'content-type': 'text/html; charset=utf-8' };
const words = (body: unknown, headers = {}): string => {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const json = parseJson(text);
  return bodyWords({ json, text: json === undefined ? text : '', headers });
};

describe('the words of an error', () => {
  it.each([
    ['with a message that is empty', { message: '', msg: 'Key expired' }, '"Key expired"'],
    ['with messages that are blank', { message: ' \n', msg: '\t', error: 'no' }, '"no"'],
    ['with a message that is no text', { message: 7, error: { message: 'no' } }, '"no"'],
    ['without a message', { message: ' ', code: '1' }, `"{'message':' ','code':'1'}"`],
    ['with a hint', { message: 'no', hint: ' Ask. ' }, '"no" (hint: "Ask.")'],
    ['with a hint that is empty', { message: 'no', hint: '' }, '"no"'],
    ['with a hint that is blank', { message: 'no', code: 'P1', hint: ' \n' }, '"no" (code P1)'],
    ['with a hint that is no text', { message: 'no', hint: ['Ask.'] }, '"no"'],
    ['that is a text', '"just words"', '"just words"'],
    ['that is a number', '17', '"17"'],
  ])('%s', (_how, body, said) => {
    expect(words(body)).toBe(said);
  });
});

describe('the words of a text', () => {
  it('are its beginning', () => {
    expect(words('x'.repeat(1_000_000))).toBe(`"${'x'.repeat(159)}…"`);
  });
});

describe('the words of a web page', () => {
  it.each([
    ['with a title that has attributes', '<html><TITLE lang="en">Sign in</TITLE>', ' titled "Sign in"'],
    ['with a title that is not closed', '<html><title>Sign in', ' titled "Sign in"'],
    ['with a title that is empty', '<html><title></title>', ''],
    ['with a title that is blank', '<html><title> \n </title>', ''],
    ['without a title', '<html><h1>Sign in</h1>', ''],
    ['whose title stands far below', `<html>${' '.repeat(65_536)}<title>Sign in</title>`, ' titled "Sign in"'],
  ])('%s', (_how, page, said) => {
    expect(words(page, HTML)).toBe(`with a web page${said}`);
  });
});

describe('a web page', () => {
  it.each([
    ['text/html', true],
    ['TEXT/HTML;charset=utf-8', true],
    ['application/xhtml+xml', true],
    ['text/plain', false],
    ['application/json; profile="text/html"', false],
    ['x-text/html', false],
  ])('is one by its type: %s', (type, isPage) => {
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
  ])('is one by how it begins, whatever it is called: %j', (body, isPage) => {
    expect(isHtml({ text: body, headers: {} })).toBe(isPage);
    expect(isHtml({ text: body, headers: { 'content-type': 'application/json' } })).toBe(isPage);
  });
});
