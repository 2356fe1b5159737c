// Tests the sandbox's runner: action metadata, expressions, commands on stdout, and a step's files.
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { evaluate, holds, readActionFile } from '../../../sandbox/runner/action.ts';
import { commandIn, parseRecords, StepLog } from '../../../sandbox/runner/output.ts';

const ROOT = join(import.meta.dirname, '..', '..', '..');

it('action metadata contains the defaults of the inputs and the two bundles', () => {
  const file = readActionFile(ROOT);
  expect(file).toMatchObject({ main: 'dist/main.js', post: 'dist/post.js', postIf: 'always()' });
  const defaults = ['poll-interval', 'internal-job-status', 'api-key'].map((name) => file.inputs.get(name));
  expect(defaults).toEqual(['30s', '${{ job.status }}', undefined]);
});

it('action metadata contains no post step for the cancel action', () => {
  expect(readActionFile(join(ROOT, 'cancel')).post).toBeUndefined();
});

it('an expression can contain only the job status', () => {
  expect(evaluate('a ${{ job.status }} b', 'failure')).toBe('a failure b');
  expect(['always()', 'failure()', '!failure()', 'success()'].map((one) => holds(one, 'failure'))).toEqual([
    true,
    true,
    false,
    false,
  ]);
  expect(() => evaluate('${{ github.sha }}', 'success')).toThrow('github.sha');
  expect(() => holds('steps.a.outcome', 'success')).toThrow('steps.a.outcome');
});

it.each<[line: string, name: string, data: string, properties?: Record<string, string>]>([
  ['::notice::hello', 'notice', 'hello'],
  ['::error title=a%2Cb,file=x%3Ay::one%0Atwo%25', 'error', 'one\ntwo%', { title: 'a,b', file: 'x:y' }],
  [' \t\u00a0\u2028\u3000\u0085::warning::x', 'warning', 'x'],
  ['::ADD-MASK::x', 'add-mask', 'x'],
  ['text ##[error]x', 'error', 'x'],
  ['##[warning a=1;b=2]x', 'warning', 'x', { a: '1', b: '2' }],
  ['::debug::a::b', 'debug', 'a::b'],
])('a printed line such as %j is the command %s', (line, name, data, properties = {}) => {
  expect(commandIn(line)).toEqual({ name, properties, data });
});

const late = ['text ', '\u200b', '\ufeff'].map((beginning) => `${beginning}::error::x`);
const ordinary = [...late, '::unheard-of::x', '::error', ': :error::x', '#[error]x'];

it.each(ordinary)('a printed line such as %j is not a command', (line) => {
  expect(commandIn(line)).toBeUndefined();
});

describe('a step log', () => {
  function logOf(lines: readonly string[], debug = false): StepLog {
    const log = new StepLog(new Set(), debug);
    for (const line of lines) log.take(line);
    return log;
  }

  it('hides each line of a masked value in later output, starting with the longest line', () => {
    const { shown } = logOf(['early abc', '::add-mask::abc', '::add-mask::abcd%0Axyz', 'abcd abc xyz']);
    expect(shown).toEqual(['early abc', '*** *** ***']);
  });

  it('shows annotations and masks secrets in them', () => {
    const log = logOf(['::add-mask::secret', '::error title=t::no secret', '::notice::one%0Atwo']);
    expect(log.annotations[0]).toEqual({ level: 'error', title: 't', message: 'no ***' });
    expect(log.shown).toEqual(['Error: no ***', 'Notice: one', 'two']);
  });

  it('keeps at most ten annotations per level', () => {
    expect(logOf([...Array<string>(12).fill('::error::x'), '::notice::y']).annotations).toHaveLength(11);
  });

  it('contains debug lines only if debug logging is on', () => {
    expect([true, false].map((debug) => logOf(['::debug::x'], debug).shown)).toEqual([['Debug: x'], []]);
  });

  it('ignores commands between stop-commands and the matching token', () => {
    const log = logOf(['::stop-commands::Token', '::error::x', '::Token::', '::error::y']);
    expect(log.annotations.map(({ message }) => message)).toEqual(['y']);
    expect(log.shown).toEqual(['::error::x', 'Error: y']);
  });
});

it.each([
  ['', {}],
  ['a=1\n\nb=2\n', { a: '1', b: '2' }],
  ['a=x=y<<z', { a: 'x=y<<z' }],
  ['a=\n', { a: '' }],
  ['a<<E\none\n\nt=wo\nE\nb=2', { a: 'one\n\nt=wo', b: '2' }],
  ['a<<E\nE\n', { a: '' }],
  ['a=1\na=2\n', { a: '2' }],
  ['a=1\r\n', { a: '1' }],
])('an output or state file such as %j is parsed as %j', (text, values) => {
  expect(parseRecords(text)).toEqual({ values, broken: undefined });
});

it.each([
  ['a heredoc without an end', 'b<<E\nx', "Invalid value. Matching delimiter not found 'E'"],
  ['a line that is not a record', 'nonsense', "Invalid format 'nonsense'"],
  ['a record without a name', '=2', "Invalid format '=2'. Name and delimiter must not be empty"],
  ['a heredoc without a delimiter', 'b<<', "Invalid format 'b<<'. Name and delimiter must not be empty"],
])('an output or state file is parsed only up to %s', (_, line, broken) => {
  expect(parseRecords(`a=1\n${line}\nc=3\n`)).toEqual({ values: { a: '1' }, broken });
});
