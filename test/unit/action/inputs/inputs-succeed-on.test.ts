import { describe, expect, it } from 'vitest';
import { mistakes, settings } from '../../../support/action.ts';

const ALL = 'completed, completed_with_warning, failed, cancelled, timed_out and skipped';

describe('the input succeed-on', () => {
  it.each([
    ['completed', ['completed']],
    ['completed,failed', ['completed', 'failed']],
    [' completed , , failed , ', ['completed', 'failed']],
    ['completed\nskipped\n', ['completed', 'skipped']],
    ['completed\r\n\r\n  timed_out, cancelled', ['completed', 'timed_out', 'cancelled']],
    ['completed, completed', ['completed']],
  ])('takes commas and lines: %j', (text, statuses) => {
    expect(settings({ 'succeed-on': text }).plan.succeedOn).toEqual(new Set(statuses));
  });

  it.each([
    ['succeeded', '"succeeded"'],
    ['completed, done and dusted', '"done and dusted"'],
    ['ok, completed, fine', '"ok" and "fine"'],
    ['a,b,c', '"a", "b" and "c"'],
    ['Completed', '"Completed"'],
    ['completed skipped', '"completed skipped"'],
    ['running', '"running"'],
    ['constructor', '"constructor"'],
  ])('refuses %j', (text, shown) => {
    expect(mistakes({ 'succeed-on': text })).toEqual([
      `Input succeed-on names ${shown}. Write final statuses: ${ALL}.`,
    ]);
  });

  it.each([',', ' , \r\n ,'])('refuses a list of nothing: %j', (text) => {
    expect(mistakes({ 'succeed-on': text })).toEqual([
      `Input succeed-on names no status. Write at least one of ${ALL}.`,
    ]);
  });
});
