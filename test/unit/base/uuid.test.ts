// Which values are UUIDs, and therefore safe in URLs, files and log lines.
import { expect, it } from 'vitest';
import { asUuid } from '../../../src/base/uuid.ts';

const ID = '0a1b2c3d-4e5f-4a6b-8c9d-0e1f2a3b4c5d';

it.each([ID, ID.toUpperCase(), '00000000-0000-0000-0000-000000000000'])('a UUID can be %s', (text) => {
  expect(asUuid(text)).toBe(text.toLowerCase());
});

const almost = [
  '',
  ` ${ID}`,
  `${ID}\n`,
  `${ID}&select=*`,
  `{${ID}}`,
  `urn:uuid:${ID}`,
  ID.replaceAll('-', ''),
  ID.slice(1),
];
it.each(
  [...almost, ID.replace('a', 'g'), ID.replace('0', '٠'), 7, null, [ID], { toLowerCase: () => ID }].map((value) => [
    value,
  ]),
)('a UUID cannot be %j', (value) => {
  expect(asUuid(value)).toBeUndefined();
});
