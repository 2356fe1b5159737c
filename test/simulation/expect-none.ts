import { expect } from 'vitest';
import { alone, type LifeSpec } from './life/spec.ts';
import { type Examined, examine } from './seeds/examine.ts';
import { reportOf } from './seeds/report.ts';

/** Lives every life and fails with the first that breaks a law, shrunk, with its log. Returns how many there were. */
export async function expectNoFindings(
  specs: Iterable<LifeSpec> | AsyncIterable<LifeSpec>,
  onLife: (life: Examined) => void = () => undefined,
): Promise<number> {
  let lives = 0;
  for await (const spec of specs) {
    const examined = await examine(alone(spec));
    lives += 1;
    onLife(examined);
    if (examined.findings.length > 0) expect.fail(await reportOf(examined));
  }
  return lives;
}
