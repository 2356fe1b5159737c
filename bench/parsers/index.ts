import { CASES, type Case } from './cases.ts';
import { collect, msOf } from './sample.ts';
import { KEY, TOKEN } from './service.ts';
import { type Shape, shapesWith } from './shapes.ts';

/** Bytes of the largest body that is read, and how many times smaller the other one is that is measured. */
const LARGE = 262_144;
const TIMES = 8;

/** Eight times the body may take so many times as long. A quadratic parser takes 64 times as long. */
const MOST_RATIO = 16;
/** No answer may block the event loop for longer, in milliseconds. */
const MOST_MS = 50;
/** A large body that takes fewer milliseconds is harmless, so its ratio to a small one is not measured. */
const FLOOR_MS = 20;
const FLOOR_ROUNDS = 3;
/** The least of so many rounds counts. What is too slow is measured again, since the machine may be shared. */
const ROUNDS = 5;
const MOST_ROUNDS = 40;

interface Result {
  readonly shape: string;
  readonly smallMs: number | undefined;
  readonly largeMs: number;
  readonly isGood: boolean;
}

/** Measures every parser with every shape. Returns whether all of them take a time that is linear and short. */
export async function measureParsers(): Promise<boolean> {
  await detectsAPlant();
  const shapes = shapesWith(`${KEY} ${TOKEN} ${Buffer.from(KEY).toString('base64')} `);
  let bad = 0;
  console.log(`ms with bodies of ${LARGE / TIMES / 1_024} and ${LARGE / 1_024} KiB: the slowest shape of each`);
  for (const each of CASES) {
    const results: Result[] = [];
    const met = shapes.filter(({ name }) => name === (each.inPieces ?? name));
    for (const shape of met) results.push(await measure(each, shape, LARGE));
    const failed = results.filter(({ isGood }) => !isGood);
    const slowest = results.toSorted((a, b) => b.largeMs - a.largeMs).slice(0, 1);
    for (const result of failed.length > 0 ? failed : slowest) console.log(lineOf(each.name, result));
    bad += failed.length;
  }
  console.log(bad === 0 ? 'All take a time that is linear and short.' : `${bad} of them are too slow.`);
  return bad === 0;
}

async function measure(each: Case, shape: Shape, largeBytes: number): Promise<Result> {
  const large = each.prepare(shape, largeBytes);
  let first = Infinity;
  for (let round = 0; round < FLOOR_ROUNDS && first >= FLOOR_MS; round += 1) {
    first = Math.min(first, await msOf(large));
  }
  if (first < FLOOR_MS) return { shape: shape.name, smallMs: undefined, largeMs: first, isGood: true };
  const small = each.prepare(shape, largeBytes / TIMES);
  let [smallMs, largeMs, isGood] = [Infinity, first, false];
  for (let round = 1; round <= MOST_ROUNDS && !(isGood && round > ROUNDS); round += 1) {
    if (round > ROUNDS) collect();
    // As many calls as take equally long: then what else the machine does hits both alike.
    smallMs = Math.min(smallMs, (await msOf(small, TIMES)) / TIMES);
    largeMs = Math.min(largeMs, await msOf(large));
    const isShort = largeMs < MOST_MS || each.inPieces !== undefined;
    isGood = largeMs < FLOOR_MS || (isShort && largeMs <= MOST_RATIO * smallMs);
  }
  return { shape: shape.name, smallMs, largeMs, isGood };
}

function lineOf(name: string, { shape, smallMs, largeMs, isGood }: Result): string {
  const ratio = smallMs === undefined ? '' : `× ${(largeMs / smallMs).toFixed(1)}`;
  const times = [smallMs?.toFixed(2) ?? '', largeMs.toFixed(2), ratio].map((text) => text.padStart(8));
  return `${isGood ? '  ' : '! '}${name.padEnd(44)} ${times.join(' ')}  ${shape}`;
}

/** A measure that lets a quadratic expression pass proves nothing. */
async function detectsAPlant(): Promise<void> {
  const plant: Case = {
    name: 'a quadratic expression',
    prepare: (shape, bytes) => {
      const text = shape.text(bytes);
      return () => /<title[^>]*>([^<]*)/i.exec(text);
    },
  };
  const titles = shapesWith('').find(({ name }) => name === 'titles that do not end');
  // A smaller body, since the largest takes ten seconds.
  const result = titles && (await measure(plant, titles, LARGE / 8));
  if (result === undefined || result.isGood) throw new Error('A quadratic expression was not detected.');
  console.log(lineOf(plant.name, result));
}
