import { INPUTS } from '../../../src/action/inputs/input-table.ts';
import { FAULTS } from '../model/fault-table.ts';
import { plainSingle } from '../model/plain.ts';
import { alone, type Crash, MAIN_CRASHES, POST_CRASHES, type ScenarioSpec, type SingleSpec } from '../model/spec.ts';
import { SPELLINGS } from '../model/spelling.ts';

/** What a scenario differs in from a plain one: all that a replay needs. */
export function asReplay({ seed, service, executions }: ScenarioSpec): string {
  const plain = alone(plainSingle());
  return JSON.stringify({
    seed,
    ...differences(service, plain.service),
    executions: executions.map((execution) => differences(execution, plain.executions[0] ?? {})),
  });
}

function differences(of: object, from: object): object {
  const usual: Readonly<Record<string, unknown>> = { ...from };
  return Object.fromEntries(
    Object.entries(of).filter(([key, value]) => JSON.stringify(value) !== JSON.stringify(usual[key])),
  );
}

/**
 * The scenario that a replay stands for. Without `executions` it is the changes of a single one; what the executions
 * share, such as `latencyMs`, stands beside them.
 * @throws if it does not describe a scenario: a mistyped replay must not show that all is well
 */
export function ofReplay(json: string): ScenarioSpec {
  const given: unknown = JSON.parse(json);
  object(REPLAY, true)('the replay', given);
  const { executions = [{}], ...shared } = given as Partial<SingleSpec> & {
    readonly executions?: readonly Partial<SingleSpec>[];
  };
  const scenarios = executions.map((changes) => {
    const misplaced = Object.keys(changes).find((name) => name === 'seed' || name in alone(plainSingle()).service);
    if (misplaced !== undefined) throw new Error(`All executions share ${misplaced}. Write it beside executions.`);
    const single = plainSingle({ ...shared, ...changes });
    SINGLE('the scenario', single);
    refuseDangling(single);
    return alone(single);
  });
  const [first] = scenarios;
  if (first === undefined) throw new Error('A scenario has at least one execution.');
  return { ...first, executions: scenarios.flatMap((each) => each.executions) };
}

/** Throws unless a value is what a place in a scenario takes. */
type Rule = (place: string, value: unknown) => void;

function rule(expected: string, accepts: (value: unknown) => boolean): Rule {
  return (place, value) => {
    if (!accepts(value)) throw new Error(`${place} is ${JSON.stringify(value)}. Write ${expected}.`);
  };
}

const text = rule('a text', (value) => typeof value === 'string');
const number = rule('a number', (value) => typeof value === 'number');
const flag = rule('true or false', (value) => typeof value === 'boolean');

function oneOf(...choices: readonly string[]): Rule {
  return rule(`one of: ${choices.join(', ')}`, (value) => choices.some((choice) => choice === value));
}

function orNull(inner: Rule): Rule {
  return (place, value) => {
    if (value !== null) inner(place, value);
  };
}

function list(inner: Rule): Rule {
  return (place, value) => {
    rule('a list', Array.isArray)(place, value);
    for (const [index, each] of (value as unknown[]).entries()) inner(`${place}[${index}]`, each);
  };
}

/** An object with exactly these members; `optional` ones may be missing. */
function object(members: Readonly<Record<string, Rule>>, optional = false): Rule {
  return (place, value) => {
    rule('an object', (it) => typeof it === 'object' && it !== null && !Array.isArray(it))(place, value);
    const given: Readonly<Record<string, unknown>> = { ...(value as object) };
    for (const name of Object.keys(given)) oneOf(...Object.keys(members))(`a member of ${place}`, name);
    for (const [name, inner] of Object.entries(members)) {
      if (!optional || name in given) inner(`${place}.${name}`, given[name]);
    }
  };
}

const PROCESS = oneOf('main', 'post');
const RANGE = { from: number, to: number };

/** A crash is anchored to a fault by its place. */
function refuseDangling({ faults, crashes }: SingleSpec): void {
  for (const { from, to } of faults)
    if (to < from) throw new Error(`A fault ends at ${to}, before it begins at ${from}.`);
  for (const { at } of crashes) {
    if ('fault' in at && faults[at.fault] === undefined)
      throw new Error(`A crash is anchored to fault ${at.fault}, which is missing.`);
  }
}
const FILE = oneOf('all', 'journal', 'output', 'state', 'summary');
const CLOCK = object({ zeroMs: number, wallOffMs: number, jumps: list(list(number)), timerLateMs: number });

const MOMENTS: Readonly<Record<string, Rule>> = {
  'effect when': object({ effect: number, when: oneOf('before', 'after', 'torn') }),
  ms: object({ ms: number }),
  request: object({ request: number }),
  response: object({ response: number }),
  'before fault': object({ fault: number, before: oneOf('request', 'response') }),
  'fault plus when': object({ fault: number, plus: number, when: oneOf('before', 'after') }),
  'fault plusMs': object({ fault: number, plusMs: number }),
};

const MOMENT: Rule = (place, value) => {
  const names = Object.keys({ ...(value as object) })
    .sort()
    .join(' ');
  oneOf(...Object.keys(MOMENTS))(`the members of ${place}`, names);
  MOMENTS[names]?.(place, value);
};

const CRASH: Rule = (place, value) => {
  object({ on: PROCESS, at: MOMENT, kind: oneOf(...MAIN_CRASHES) })(place, value);
  const { on, kind } = value as Crash;
  if (on === 'post') oneOf(...POST_CRASHES)(`${place}.kind`, kind);
};

const MEMBERS: Readonly<Record<string, Rule>> = {
  seed: number,
  local: flag,
  latencyMs: number,
  outages: list(
    object({ fromMs: number, toMs: number, what: oneOf('refused', 'unresolved', 's503', 'reset', 'mute', 'html_ok') }),
  ),
  ttlSeconds: number,
  keyRevokedAtMs: orNull(number),
  echo: orNull(
    object({
      of: oneOf('key', 'token'),
      where: oneOf('message', 'name', 'region', 'error', 'header'),
      as: oneOf(...SPELLINGS),
      after: number,
    }),
  ),
  placement: object({
    job: number,
    begins: oneOf('sequential', 'concurrent'),
    startMs: number,
    container: flag,
    action: text,
    jobName: text,
  }),
  mode: oneOf('trigger', 'attach', 'resume', 'dry_run', 'bad_input'),
  pipelines: list(
    object({
      name: text,
      apiName: text,
      given: oneOf('uuid', 'api', 'name'),
      timeline: list(list(orNull((place, value) => (typeof value === 'number' ? undefined : text(place, value))))),
      failsFirst: number,
      earlierMs: orNull(number),
    }),
  ),
  inputs: object(Object.fromEntries(Object.keys(INPUTS).map((name) => [name, text])), true),
  faults: list(
    object({
      on: PROCESS,
      call: oneOf('exchange', 'list', 'trigger', 'read', 'cancel'),
      ...RANGE,
      what: oneOf(...Object.keys(FAULTS)),
      commit: oneOf('never', 'at_once', 'late'),
      ms: number,
      retryAfter: orNull(text),
    }),
  ),
  disk: list(object({ file: FILE, ...RANGE, part: number })),
  stalls: list(object({ file: FILE, ...RANGE, ms: number })),
  crashes: list(CRASH),
  clocks: object({ main: CLOCK, post: CLOCK }),
  lostTimer: orNull(number),
  runner: object({
    noTemp: flag,
    jobStatusAtStart: text,
    jobStatusAtEnd: text,
    postAfterMs: number,
    postInputsEmpty: flag,
    postKeyMissing: flag,
    debug: flag,
    flushMs: number,
    sight: oneOf('all', 'nothing', 'existence', 'no_signals'),
  }),
};

const SINGLE = object(MEMBERS);
const REPLAY: Readonly<Record<string, Rule>> = { ...MEMBERS, executions: list(object(MEMBERS, true)) };
