import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readActionFile } from '../../../sandbox/runner/action-file.ts';
import { evaluate, holds } from '../../../sandbox/runner/expressions.ts';
import { parseYaml } from '../../../sandbox/runner/yaml.ts';

const root = join(import.meta.dirname, '..', '..', '..');

describe('the metadata of an action', () => {
  it('gives the runner defaults, outputs and the two bundles', () => {
    const file = readActionFile(root);
    expect(file).toMatchObject({ main: 'dist/main/index.js', post: 'dist/post/index.js', postIf: 'always()' });
    expect(file.inputs.get('poll-interval')).toBe('30s');
    expect(file.inputs.get('internal-job-status')).toBe('${{ job.status }}');
    expect(file.inputs.has('api-key')).toBe(true);
    expect(file.outputs).toContain('job-id');
  });

  it('may be without post', () => {
    expect(readActionFile(join(root, 'cancel')).post).toBeUndefined();
  });

  it('is asked for in a folder that has none', () => {
    expect(() => readActionFile(join(root, 'sandbox'))).toThrow('ENOENT');
  });
});

describe('the YAML of metadata', () => {
  it('is read in all the forms that text has there', () => {
    const text = [
      '# comment',
      'plain: a b # comment',
      "single: 'it''s: #1'",
      'double: "a\\tb"',
      'folded: >-',
      '  one',
      '  two',
      'literal: |',
      '  one',
      '',
      '  two',
      'several: one',
      '  two',
      'map:',
      "  'key': ",
      '  other: x',
    ].join('\n');
    expect(Object.fromEntries(parseYaml(text))).toEqual({
      plain: 'a b',
      single: "it's: #1",
      double: 'a\tb',
      folded: 'one two',
      literal: 'one\n\ntwo\n',
      several: 'one two',
      map: new Map([
        ['key', ''],
        ['other', 'x'],
      ]),
    });
  });

  it.each(['- a list', 'a: [1]', 'a: &x y', "a: 'open", 'a:\n   b: 2\n c: 3', 'text'])(
    'is refused where this reader does not know it: %j',
    (text) => {
      expect(() => parseYaml(text)).toThrow('beyond this reader');
    },
  );
});

describe('an expression', () => {
  it('of the job’s status is evaluated, and no other', () => {
    expect(evaluate('a ${{ job.status }} b', 'failure')).toBe('a failure b');
    expect(() => evaluate('${{ github.sha }}', 'success')).toThrow('github.sha');
  });

  it.each([
    ['always()', 'cancelled', true],
    ['success()', 'success', true],
    ['success()', 'failure', false],
    ['cancelled()', 'cancelled', true],
    ['!cancelled()', 'cancelled', false],
    ['!cancelled()', 'failure', true],
  ] as const)('%s holds in a job of %s: %s', (condition, status, expected) => {
    expect(holds(condition, status)).toBe(expected);
  });

  it('that is none of these is refused', () => {
    expect(() => holds('steps.a.outcome', 'success')).toThrow('steps.a.outcome');
  });
});
