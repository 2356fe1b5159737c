import type { Random } from '../model/random.ts';
import type { Echo } from '../model/spec.ts';
import { NOT_IN_HEADERS, SPELLINGS } from '../model/spelling.ts';

/** Where texts are cut: a secret may stand across such a place, or be in a text of any size. */
const AFTER = [
  (random: Random) => random.below(120),
  (random: Random) => random.between(150, 215),
  (random: Random) => random.between(270, 310),
  (random: Random) => random.between(470, 510),
  (random: Random) => random.between(900, 2_000),
];
const MANY = [100_000, 100_000, 200_000, 300_000, 2_000_000];
const LONG_NAME = 100_000;

/** A secret that the service repeats somewhere. */
export function echoOf(random: Random): Echo {
  const where = random.pick(['message', 'message', 'name', 'region', 'error', 'header'] as const);
  const spellings = where === 'header' ? SPELLINGS.filter((as) => !NOT_IN_HEADERS.has(as)) : SPELLINGS;
  const isLong = where !== 'header' && random.chance(0.1);
  return {
    of: random.pick(['key', 'token']),
    where,
    as: random.pick(spellings),
    after: isLong ? (where === 'name' ? LONG_NAME : random.pick(MANY)) : random.pick(AFTER)(random),
  };
}
