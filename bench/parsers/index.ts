import { CASES, type Case } from './cases.ts';
import { collect, msOf } from './sample.ts';
import { KEY, TOKEN } from './service.ts';
import { type Shape, shapesWith } from './shapes.ts';

/** The action reads at most this many bytes of a body. */
const LARGE_BYTES = 262_144;
/** The large body is this many times as large as the small one. */
const SIZE_RATIO = 8;

/** A body that is eight times as large may take at most this many times as long. A quadratic parser takes 64 times as long. */
const MAX_TIME_RATIO = 16;
/** The longest time for which a response may block the event loop. */
const MAX_MS = 50;
/** A large body that takes less time is harmless, so the benchmark does not measure its ratio to a small one. */
const FLOOR_MS = 20;
const FLOOR_ROUNDS = 3;
/** The fastest of several rounds counts. A case that seems too slow gets more rounds, because the machine may be shared. */
const ROUNDS = 5;
const MAX_ROUNDS = 40;

interface Result {
  readonly shape: string;
  readonly smallMs: number | undefined;
  readonly largeMs: number;
  readonly isFast: boolean;
}

/*
 * `npm run bench:parsers` measures every parser of text from outside with every hostile shape. Fails unless all are fast and
 * take linear time.
 */
process.exitCode = (await measureParsers()) ? 0 : 1;

async function measureParsers(): Promise<boolean> {
  await requireDetection();
  const shapes = shapesWith(`${KEY} ${TOKEN} ${Buffer.from(KEY).toString('base64')} `);
  let slow = 0;
  console.log(
    `ms with bodies of ${LARGE_BYTES / SIZE_RATIO / 1_024} and ${LARGE_BYTES / 1_024} KiB, for the slowest shape of each case`,
  );
  for (const each of CASES) {
    const results: Result[] = [];
    for (const shape of shapes) results.push(await measure(each, shape, LARGE_BYTES));
    const failed = results.filter(({ isFast }) => !isFast);
    const slowest = results.toSorted((a, b) => b.largeMs - a.largeMs).slice(0, 1);
    for (const result of failed.length > 0 ? failed : slowest) console.log(lineOf(each.name, result));
    slow += failed.length;
  }
  console.log(slow === 0 ? 'All parsers are fast and take linear time.' : `${slow} cases are too slow.`);
  return slow === 0;
}

async function measure(each: Case, shape: Shape, largeBytes: number): Promise<Result> {
  const large = each.prepare(shape, largeBytes);
  let first = Infinity;
  for (let round = 0; round < FLOOR_ROUNDS && first >= FLOOR_MS; round += 1) {
    first = Math.min(first, await msOf(large));
  }
  if (first < FLOOR_MS) return { shape: shape.name, smallMs: undefined, largeMs: first, isFast: true };
  const small = each.prepare(shape, largeBytes / SIZE_RATIO);
  let [smallMs, largeMs, isFast] = [Infinity, first, false];
  for (let round = 1; round <= MAX_ROUNDS && !(isFast && round > ROUNDS); round += 1) {
    if (round > ROUNDS) collect();
    // Measure both for about the same time, so that other load on the machine affects them alike.
    smallMs = Math.min(smallMs, (await msOf(small, SIZE_RATIO)) / SIZE_RATIO);
    largeMs = Math.min(largeMs, await msOf(large));
    isFast = largeMs < FLOOR_MS || (largeMs < MAX_MS && largeMs <= MAX_TIME_RATIO * smallMs);
  }
  return { shape: shape.name, smallMs, largeMs, isFast };
}

function lineOf(name: string, { shape, smallMs, largeMs, isFast }: Result): string {
  const ratio = smallMs === undefined ? '' : `× ${(largeMs / smallMs).toFixed(1)}`;
  const times = [smallMs?.toFixed(2) ?? '', largeMs.toFixed(2), ratio].map((text) => text.padStart(8));
  return `${isFast ? '  ' : '! '}${name.padEnd(44)} ${times.join(' ')}  ${shape}`;
}

/** Fails unless the measurement detects a quadratic expression. */
async function requireDetection(): Promise<void> {
  const quadratic: Case = {
    name: 'a quadratic expression',
    prepare: (shape, bytes) => {
      const text = shape.text(bytes);
      return () => /<title[^>]*>([^<]*)/i.exec(text);
    },
  };
  const titles = shapesWith('').find(({ name }) => name === 'unclosed titles');
  // Use a smaller body, because the largest would take ten seconds.
  const result = titles && (await measure(quadratic, titles, LARGE_BYTES / 8));
  if (result === undefined || result.isFast) throw new Error('A quadratic expression was not detected.');
  console.log(lineOf(quadratic.name, result));
}
