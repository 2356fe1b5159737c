import { describe, expect, it } from 'vitest';
import { commandIn } from '../../../sandbox/runner/commands.ts';
import { StepLog } from '../../../sandbox/runner/step-log.ts';

describe('a line of a step', () => {
  it.each([
    ['::notice::hello', { name: 'notice', properties: {}, data: 'hello' }],
    [
      '::error title=a%2Cb,file=x%3Ay::one%0Atwo%25',
      { name: 'error', properties: { title: 'a,b', file: 'x:y' }, data: 'one\ntwo%' },
    ],
    [' \t\u00a0\u2028\u3000\u0085::warning::x', { name: 'warning', properties: {}, data: 'x' }],
    ['::ADD-MASK::x', { name: 'add-mask', properties: {}, data: 'x' }],
    ['text ##[error]x', { name: 'error', properties: {}, data: 'x' }],
    ['##[warning a=1;b=2]x', { name: 'warning', properties: { a: '1', b: '2' }, data: 'x' }],
    ['::debug::a::b', { name: 'debug', properties: {}, data: 'a::b' }],
  ])('%j is a command', (line, command) => {
    expect(commandIn(line)).toEqual(command);
  });

  it.each([
    'text ::error::x',
    '\u200b::error::x',
    '\ufeff::error::x',
    '::unheard-of::x',
    '::error',
    ': :error::x',
    '#[error]x',
  ])('%j is none', (line) => {
    expect(commandIn(line)).toBeUndefined();
  });
});

function logOf(lines: readonly string[], debug = false): StepLog {
  const log = new StepLog(new Set(), debug);
  for (const line of lines) log.take(line);
  return log;
}

describe('the log that people see', () => {
  it('hides masked texts from then on, the longest first, and each line of them', () => {
    const { shown } = logOf(['early abc', '::add-mask::abc', '::add-mask::abcd%0Axyz', 'abcd abc xyz']);
    expect(shown).toEqual(['early abc', '*** *** ***']);
  });

  it('shows annotations under their level, masked, and keeps ten of each', () => {
    const errors = Array.from({ length: 12 }, () => '::error title=t::no secret');
    const log = logOf(['::add-mask::secret', ...errors, '::notice::one%0Atwo']);
    expect(log.annotations).toHaveLength(11);
    expect(log.annotations[0]).toEqual({ level: 'error', title: 't', message: 'no ***' });
    expect(log.shown.slice(-3)).toEqual(['Error: no ***', 'Notice: one', 'two']);
  });

  it('has debug lines only with debug logging', () => {
    expect(logOf(['::debug::x']).shown).toEqual([]);
    expect(logOf(['::debug::x'], true).shown).toEqual(['Debug: x']);
  });

  it('obeys nothing between stop-commands and its token', () => {
    const log = logOf(['::stop-commands::Token', '::error::x', '::Token::', '::error::y']);
    expect(log.annotations.map(({ message }) => message)).toEqual(['y']);
    expect(log.shown).toEqual(['::error::x', 'Error: y']);
  });
});
