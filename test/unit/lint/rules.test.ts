// Tests the ESLint rules for texts with a text from the tables and with a text that no table contains.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Linter } from 'eslint';
import { expect, it } from 'vitest';
import { pinned, texts } from '../../lint/rules.ts';

const [PINNED = ''] = pinned(5);
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
  `expect(x).toBe("'${PINNED}'")`,
  `expect(x).toBe(\`\${name} ${PINNED}\`)`,
  `expect(x).toBe('${first} ' + '${rest}')`,
  `expect(x).toMatch(/${PINNED}/)`,
  `expect(x).toMatch(/${first} .*${rest}/)`,
  `expect(x).toMatch(new RegExp('${first} .*${rest}'))`,
  `expect(x).toMatch(/other|${left}/); expect(x).toMatch(/${right}/)`,
  `expect(x).toMatchInlineSnapshot(\`"${PINNED}"\`)`,
  `const first = '${first}'; expect(x).toBe(\`\${first} ${rest}\`)`,
  `const rest = '${right}'; expect(x).toBe(['${left}', ...rest].join(' '))`,
  `let text = '${left}'; text += '${right}'`,
  `const texts = { left: '${left}' }; expect(x).toBe(texts.left + '${right}')`,
  `const left = () => '${left}'; expect(x).toBe(left() + '${right}')`,
  `it.each([['${left}', '${right}']])('contains %s and %s', run)`,
  `expect(x).toContain('${left}'); expect(text).toMatch(/${right}/)`,
  `expect(x).toContain('${left}'); it('runs', () => expect(x).toContain('${right}'))`,
  `for (const word of ['${PINNED.replaceAll(' ', "', '")}']) expect(x).toContain(word)`,
])('a test may not contain %s', (code) => {
  expect(isReported('pinned-once', code)).toBe(true);
});

it.each([
  `it('${PINNED}', run)`,
  `it.each([1])('${PINNED}', run)`,
  `expect(x).toContain('${rest}')`,
  `expect(x).toContain('${rest}'); expect(x).toContain('${right}')`,
  `expect(x).toContain('${right}'); expect(x).toContain('${first}')`,
])('a test may contain %s', (code) => {
  expect(isReported('pinned-once', code)).toBe(false);
});

it.each([`print('${UNKNOWN}')`, `throw new Error('${UNKNOWN}')`])('the source may not contain %s', (code) => {
  expect(isReported('shown-in-a-scene', code)).toBe(true);
});

it.each([`print('${PINNED}')`, `/${UNKNOWN}/.test(x)`])('the source may contain %s', (code) => {
  expect(isReported('shown-in-a-scene', code)).toBe(false);
});

// ESLint does not read YAML.
const LOGGED = readFileSync(join(import.meta.dirname, '../../act/cases.yaml'), 'utf8').match(/'[^'\n]+'(?=\])/g) ?? [];

it.each(LOGGED)('the pattern %s of a recipe quotes at most four words of a text', (pattern) => {
  expect(isReported('pinned-once', `expect(log).toMatch(${pattern})`)).toBe(false);
});
