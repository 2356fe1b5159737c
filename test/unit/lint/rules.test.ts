// Tests the ESLint rules for texts with a text from the tables and with a text that no table contains.
import { Linter } from 'eslint';
import { expect, it } from 'vitest';
import { texts } from '../../lint/rules.ts';
import { pinnedSequences } from '../../lint/texts.ts';

const [PINNED = ''] = pinnedSequences(5);
const [first = '', ...others] = PINNED.split(' ');
const rest = others.join(' ');
const [left, right] = [`${first} ${others[0]}`, others.slice(1).join(' ')];
const UNKNOWN = 'five words that nobody sees';

function isReported(rule: keyof (typeof texts)['rules'], code: string): boolean {
  const messages = new Linter().verify(code, [{ plugins: { texts }, rules: { [`texts/${rule}`]: 'error' } }]);
  return messages.some(({ ruleId }) => ruleId === `texts/${rule}`);
}

it.each([
  `expect(x).toBe('${PINNED}')`,
  `expect(x).toBe(\`\${name} ${PINNED}\`)`,
  `expect(x).toBe('${first} ' + '${rest}')`,
  `expect(x).toBe(['${first}', name, '${PINNED}'].join(' '))`,
  `expect(x).toBe('${first} '.concat('${rest}'))`,
  `expect(x).toMatch(/${PINNED}/)`,
  `expect(x).toMatch(/${first} .*${rest}/)`,
  `expect(x).toMatchInlineSnapshot(\`"${PINNED}"\`)`,
  `const first = '${first}'; expect(x).toBe(\`\${first} ${rest}\`)`,
  `const rest = ['${rest}']; expect(x).toBe(['${first}', ...rest].join(' '))`,
  `expect(x.y).toContain('${left}'); expect(x.y).toMatch(/${right}/)`,
  `expect(x).toEqual({ y: expect.stringContaining('${left}') }); expect(x).toMatchObject({ y: /${right}/ })`,
])('a test may not contain %s', (code) => {
  expect(isReported('pinned-once', code)).toBe(true);
});

it.each([
  `it('${PINNED}', run)`,
  `it.each([1])('${PINNED}', run)`,
  `expect(x).toContain('${rest}')`,
  `let first = '${first}'; expect(x).toBe(\`\${first} ${rest}\`)`,
  `expect(x).toContain('${left}'); expect(y).toContain('${right}')`,
  `expect(x).toContain('${left}'); it('runs', () => expect(x).toContain('${right}'))`,
  `expect(x).toContain('${rest}'); expect(x).toContain('${right}')`,
])('a test may contain %s', (code) => {
  expect(isReported('pinned-once', code)).toBe(false);
});

it.each([`print('${UNKNOWN}')`, `throw new Error('${UNKNOWN}')`])('the source may not contain %s', (code) => {
  expect(isReported('shown-in-a-scene', code)).toBe(true);
});

it.each([`print('${PINNED}')`, `/${UNKNOWN}/.test(x)`])('the source may contain %s', (code) => {
  expect(isReported('shown-in-a-scene', code)).toBe(false);
});
