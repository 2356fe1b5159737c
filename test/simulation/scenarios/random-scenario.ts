import { PLAIN_PLACEMENT } from '../model/plain.ts';
import { createRandom } from '../model/random.ts';
import type { SingleSpec } from '../model/spec.ts';
import { MINUTE, SECOND } from './durations.ts';
import { crashesOf } from './random-crashes.ts';
import { echoOf } from './random-echo.ts';
import { faultsOf, outageOf } from './random-faults.ts';
import { inputsOf, resetOf, severalOf } from './random-inputs.ts';
import { clockOf, diskFaultOf, diskStallOf } from './random-machine.ts';
import { pipelineOf } from './random-pipeline.ts';

/** What most steps are asked for, most often. */
const MODES = ['trigger', 'trigger', 'trigger', 'trigger', 'trigger', 'attach', 'resume', 'dry_run'] as const;

/** What post sees of main. */
const SIGHTS = ['all', 'all', 'all', 'all', 'nothing', 'existence', 'no_signals'] as const;

/** A scenario out of a number. The same number always gives the same scenario. */
export function randomSingle(seed: number): SingleSpec {
  const random = createRandom(seed);
  const mode = random.pick(MODES);
  const several = mode !== 'resume' && random.chance(0.3) ? random.between(2, 4) : 1;
  const pipelines = Array.from({ length: several }, (_, index) => ({
    ...pipelineOf(random, index),
    earlierMs: mode === 'attach' || mode === 'resume' ? random.below(5 * MINUTE) : null,
  }));
  const faults = faultsOf(random);
  const isPlain = mode === 'trigger' && several === 1;
  const inputs = { ...inputsOf(random), ...(several > 1 && severalOf(random)), ...(isPlain && resetOf(random)) };
  // A run that exists can be nothing but waited for.
  if (mode === 'attach') Object.assign(inputs, { wait: 'true', 'full-resync': '', 'on-lost-response': '' });
  // What a disk did not take is a failure that no request shows, and could stop other runs.
  const isSafe = inputs['fail-fast'] !== 'true';
  const single: SingleSpec = {
    seed,
    placement: PLAIN_PLACEMENT,
    mode,
    pipelines,
    inputs,
    local: false,
    latencyMs: random.pick([3, 20, 20, 200, 1_500]),
    faults,
    outages: random.chance(0.15) ? [outageOf(random)] : [],
    disk: isSafe && random.chance(0.1) ? [diskFaultOf(random)] : [],
    crashes: crashesOf(random, faults, pipelines),
    clocks: { main: clockOf(random), post: clockOf(random) },
    ttlSeconds: random.pick([3_600, 3_600, 3_600, 600, 60]),
    keyRevokedAtMs: random.chance(0.04) ? random.below(4 * MINUTE) : null,
    lostTimer: random.chance(0.02) ? random.between(1, 12) : null,
    runner: {
      noTemp: random.chance(0.1),
      jobStatusAtStart: random.pick(['success', 'success', 'success', 'failure', 'cancelled', '']),
      jobStatusAtEnd: random.pick(['success', 'success', 'failure', 'cancelled']),
      postAfterMs: random.pick([0, 0, 20 * SECOND, 10 * MINUTE]),
      postInputsEmpty: random.chance(0.2),
      postKeyMissing: random.chance(0.03),
      debug: random.chance(0.3),
      flushMs: random.pick([0, 0, 0, 250]),
      sight: 'all',
    },
    echo: random.chance(0.15) ? echoOf(random) : null,
    stalls: random.chance(0.1) ? [diskStallOf(random)] : [],
  };
  return { ...single, runner: { ...single.runner, sight: random.pick(SIGHTS) } };
}
