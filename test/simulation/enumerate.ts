/*
 * Scenarios with an incident at each effect of a plain step, and each state of the disk afterwards. In addition, each
 * kind of list that a service truncates, and each kind of call whose tokens it refuses.
 */
import type { CallKind, FaultName, RequestFault } from '../../sandbox/faults.ts';
import { play } from './play.ts';
import { type Fleet, type IncidentKind, type Scenario, type StepSketch, scenario } from './scenario.ts';

const RUNS_QUICKLY: StepSketch = {
  pipelines: [
    {
      stages: [
        [0, 'queued', null],
        [1_000, 'running', null],
        [20_000, 'completed', null],
      ],
    },
  ],
};
const TWO = [{ name: 'Sales' }, { name: 'Customers' }];

/** The plain steps. */
const STEPS: Readonly<Record<string, StepSketch>> = {
  'one run': RUNS_QUICKLY,
  'a pipeline by its name': { ...RUNS_QUICKLY, by: 'name' },
  'two runs': { pipelines: TWO },
  'an existing run': { task: 'await', inputs: { 'on-cancel': 'cancel' }, pipelines: [{ existsSinceMs: 1_000 }] },
  'a run to resume': { task: 'resume', pipelines: [{ existsSinceMs: 1_000 }] },
  'a run to resume that has failed': { task: 'resume', pipelines: [{ existsSinceMs: 20_000, failsFirst: 1 }] },
  'two attempts': { inputs: { 'max-attempts': '2', 'retry-delay': '1s' }, pipelines: [{ failsFirst: 1 }] },
  'wait: false': { inputs: { wait: 'false' }, pipelines: TWO },
  'a timeout': { inputs: { timeout: '10s' } },
  'a timeout that leaves the run': { inputs: { timeout: '10s', 'on-timeout': 'leave' } },
  'a lost response': { faults: [{ on: 'main', call: 'trigger', times: 1, what: 'reset', processed: 'yes' }] },
  'on-lost-response: retry': {
    inputs: { 'on-lost-response': 'retry' },
    faults: [{ on: 'main', call: 'trigger', times: 1, what: 'reset', processed: 'yes' }],
  },
  'a trigger without a response': {
    faults: [{ on: 'main', call: 'trigger', times: 1, what: 'silent', processed: 'yes' }],
  },
  'attempts after a lost response': {
    inputs: { 'on-lost-response': 'retry', 'max-attempts': '3', 'retry-delay': '1s' },
    faults: [{ on: 'main', call: 'trigger', times: 1, what: 'reset', processed: 'yes' }],
    pipelines: [{ failsFirst: 3 }],
  },
  'fail-fast': { inputs: { 'fail-fast': 'true' }, pipelines: [{ failsFirst: 1 }, { name: 'Customers' }] },
};

/** What post finds on the disk. The first lines of the step and the intent must be in both files. */
const DISKS: Readonly<Record<string, StepSketch>> = {
  'both files': {},
  'only the journal, because the runner lost the state': { runner: { losesState: true } },
  'only the state, because the journal vanished': { runner: { temp: 'vanishes' } },
  'only the state, because there is no journal': { runner: { temp: 'none' } },
  'only the state, because writes to the journal failed': {
    faults: [{ on: 'main', file: 'journal', from: 4, times: 996, what: 'full_disk', part: 0.5 }],
  },
  'only the journal, because writes to the state failed': {
    faults: [{ on: 'main', file: 'state', from: 3, times: 997, what: 'full_disk', part: 0.5 }],
  },
};
const [BOTH, LOST_STATE] = Object.keys(DISKS);

/** Only a kill needs the others. A step that does not save its intent in both files leaves a run that post cannot name. */
const ALL_DISKS: typeof DISKS = {
  ...DISKS,
  'only the state, and no inputs': { runner: { temp: 'vanishes', post: 'without_inputs' } },
  'only the journal, without the intent': {
    runner: { losesState: true },
    faults: [{ on: 'main', file: 'journal', from: 3, times: 997, what: 'full_disk' }],
  },
};

/** A main process that is alive beside its post step sees all disks, and one that is killed too. */
const INCIDENTS: Readonly<Partial<Record<IncidentKind, readonly (string | undefined)[]>>> = {
  kill: Object.keys(ALL_DISKS),
  cancel: Object.keys(DISKS),
  container_cancel: Object.keys(DISKS),
  abandoned: [BOTH],
  stdout_closed: [BOTH, LOST_STATE],
};

const LONG: Fleet = { pipelines: 130, rows: 1, cap: { rows: 100, shownBy: 'nothing' }, hasNamesake: false };
const SHORT: Fleet = { pipelines: 10, rows: 1, cap: { rows: 5, shownBy: 'status' }, hasNamesake: false };

/** Workspaces whose lists the service truncates. */
const FLEETS: readonly Fleet[] = [
  LONG,
  { ...LONG, hasNamesake: true },
  { ...LONG, pipelines: 40, rows: 3 },
  // The list is complete, but nothing shows it.
  { ...LONG, pipelines: 87 },
  SHORT,
  { ...SHORT, hasNamesake: true },
  { ...SHORT, rows: 3 },
  { ...SHORT, cap: { rows: 5, shownBy: 'total' } },
];

const PAGES = { on: 'main', call: 'list' } as const;

/** What goes wrong with the list or its pages. */
const LIST_FAULTS: readonly (readonly RequestFault[])[] = [
  [],
  ...(['reversed', 'the first', 'empty'] as const).map((is) => [
    { ...PAGES, what: { service: [{ do: 'page', is } as const] } },
  ]),
  [{ ...PAGES, from: 3, times: 1, what: 'http_503' }],
  [{ ...PAGES, from: 3, what: 'http_503' }],
  [{ ...PAGES, from: 2, what: 'http_400' }],
];

/** The calls whose tokens a service refuses, while it accepts those of all other calls. */
const REFUSED: readonly (readonly CallKind[])[] = [
  ['list'],
  ['trigger'],
  ['read'],
  ['cancel'],
  ['read', 'cancel'],
  ['list', 'read', 'cancel'],
];
const REFUSALS: readonly FaultName[] = ['http_401', 'http_403', 'token_code', 'token_message'];

/** Each plain step, a scenario for each incident before each of its effects, and the steps that meet caps and refusals. */
export async function enumerated(): Promise<Scenario[]> {
  const all = await Promise.all(Object.values(STEPS).map(atEveryEffect));
  const plain = [...Object.values(STEPS), ...refusedSteps()].map((step) => scenario({ steps: [step] }));
  return [
    ...plain,
    ...truncatedLists(),
    ...all.flat(),
    ...(await atEveryEffectOfPost()),
    ...(await killedBesidePost()),
    ...(await afterFailedCancel()),
  ];
}

function truncatedLists(): Scenario[] {
  const steps = (['name', 'api_name', 'uuid'] as const).flatMap((by) =>
    LIST_FAULTS.flatMap((faults) =>
      (['trigger', 'dry_run'] as const).map((task): StepSketch => ({ ...RUNS_QUICKLY, by, task, faults })),
    ),
  );
  return FLEETS.flatMap((fleet) => steps.map((step) => scenario({ service: { fleet }, steps: [step] })));
}

/** Twelve simultaneous runs, which end on their own, after a signal or after a timeout. */
function refusedSteps(): StepSketch[] {
  const pipelines = Array.from({ length: 12 }, (_, nth) => ({ name: `Sales ${nth}` }));
  const ends: readonly StepSketch[] = [
    { inputs: { 'max-outage': '5m' } },
    { incidents: [{ on: 'main', what: 'cancel', at: { ms: 5_000 } }] },
    { inputs: { timeout: '20s', 'max-outage': '5m' } },
  ];
  const faults = REFUSED.flatMap((call) => REFUSALS.map((what): RequestFault[] => [{ call, what }]));
  const withoutToken = (['key_rejected', 'refused'] as const).map((what): RequestFault[] => [
    { call: 'exchange', from: 2, what },
    { call: ['read', 'cancel'], what: 'http_401' },
  ]);
  // Only names need the list.
  return [...faults, ...withoutToken].flatMap((each) =>
    ends.flatMap((end) =>
      (['name', 'uuid'] as const).map((by): StepSketch => ({ ...end, by, pipelines, faults: each })),
    ),
  );
}

async function atEveryEffect(step: StepSketch): Promise<Scenario[]> {
  const effects = await effectsOf({ steps: [step] }, 'main');
  return Object.entries(INCIDENTS).flatMap(([what, disks]) =>
    disks.flatMap((disk) =>
      effects.flatMap(({ effect, isWrite }) => {
        const when = isWrite && what === 'kill' ? (['before', 'torn'] as const) : (['before'] as const);
        return when.map((each) =>
          scenario({
            steps: [
              {
                ...step,
                ...ALL_DISKS[disk ?? ''],
                incidents: [{ on: 'main', what: what as IncidentKind, at: { effect, when: each } }],
              },
            ],
          }),
        );
      }),
    ),
  );
}

const KILLED: StepSketch = { incidents: [{ on: 'main', what: 'kill', at: { ms: 3_000 } }], pipelines: TWO };

async function atEveryEffectOfPost(): Promise<Scenario[]> {
  const effects = await effectsOf({ steps: [KILLED] }, 'post');
  return (['kill', 'cancel'] as const).flatMap((what) =>
    effects.map(({ effect }) =>
      scenario({
        steps: [
          { ...KILLED, incidents: [...(KILLED.incidents ?? []), { on: 'post', what, at: { effect, when: 'before' } }] },
        ],
      }),
    ),
  );
}

/** Post starts while a trigger is in flight, and then main dies. */
async function killedBesidePost(): Promise<Scenario[]> {
  const beside: StepSketch = {
    faults: [{ on: 'main', call: 'trigger', times: 1, what: 'slow', ms: 4_000 }],
    incidents: [
      { on: 'main', what: 'container_cancel', at: { call: 'trigger', nth: 1, phase: 'connected', plusMs: 0 } },
    ],
  };
  const effects = await effectsOf({ steps: [beside] }, 'main');
  return effects.map(({ effect }) =>
    scenario({
      steps: [
        {
          ...beside,
          incidents: [...(beside.incidents ?? []), { on: 'main', what: 'kill', at: { effect, when: 'before' } }],
        },
      ],
    }),
  );
}

/** Main could not cancel a run after a queue timeout. It is stopped while it waits for another run, and no post follows. */
async function afterFailedCancel(): Promise<Scenario[]> {
  const step: StepSketch = {
    inputs: { 'queue-timeout': '5s' },
    pipelines: [
      { stages: [[0, 'queued', null]] },
      {
        name: 'Customers',
        stages: [
          [0, 'queued', null],
          [1_000, 'running', null],
          [200_000, 'completed', null],
        ],
      },
    ],
    faults: [{ on: 'main', call: 'cancel', forMs: 70_000, what: 'refused' }],
  };
  const effects = await effectsOf({ steps: [step] }, 'main');
  const ends = ['shutdown', 'worker_killed'] as const;
  // In the last seconds in which main tries to cancel the run, the service recovers.
  const late = ends.flatMap((what) =>
    [61_000, 63_000, 64_000, 64_500, 64_900].map(
      (ms): StepSketch => ({
        ...step,
        faults: [{ on: 'main', call: 'cancel', forMs: ms - 5_000, what: 'http_503' }],
        incidents: [{ on: 'main', what, at: { ms } }],
      }),
    ),
  );
  const early = ends.flatMap((what) =>
    effects.map(
      ({ effect }): StepSketch => ({ ...step, incidents: [{ on: 'main', what, at: { effect, when: 'before' } }] }),
    ),
  );
  return [...early, ...late].map((each) => scenario({ steps: [each] }));
}

/** Returns the effects of a process in a scenario. A timer that leads to nothing is equivalent to the effect after it. */
async function effectsOf(sketch: Parameters<typeof scenario>[0], who: string) {
  const { trace } = await play(scenario(sketch));
  return trace
    .filter((line) => line.who === who && line.effect > 0 && line.text !== 'timer')
    .map(({ effect, text }) => ({ effect, isWrite: text.startsWith('writes') }));
}
