// One trigger: what each response means, when it is repeated, and what must be on disk before it is sent.
import { describe, expect, it } from 'vitest';
import { fails, inTurn, json, type RequestFault, text, type What } from '../../../sandbox/faults.ts';
import { PIPELINE_IDS } from '../../../sandbox/model/index.ts';
import type { Events } from '../../support/runner.ts';
import {
  callsOf,
  existingRun,
  playMain,
  playPost,
  recordsOf,
  resultOf,
  runsOf,
  sentBy,
  shownBy,
  withoutJournal,
  withoutState,
} from '../../support/steps.ts';
import type { FakeWorld } from '../../support/world.ts';

/** When the exchange and the list have finished and the POST is sent. */
const POST_AT = 40;

/** Plays the main step with these faults of its triggers, the last of which applies to all later triggers. */
function playTriggers(faults: readonly What[], inputs: Readonly<Record<string, string>> = {}, events?: Events) {
  return playMain({ inputs, faults: inTurn('trigger', faults, faults.at(-1)) }, events);
}

it('with wait: false, a timeout while a trigger connects names the earlier failure', async () => {
  const faults = inTurn('trigger', ['no_database', 'unreachable']);
  const main = await playMain({ inputs: { wait: 'false', timeout: '8s' }, faults });
  expect(main.outputs['message']).toMatch(/When the timeout expired, the step could not trigger the run: HTTP 503/);
});

it.each(['cancel', 'leave'])(
  'a timeout blames no earlier failure if the trigger then queues a run (%s)',
  async (policy) => {
    const faults = inTurn('trigger', ['no_database', { what: 'slow', ms: 20_000 }]);
    const main = await playMain({ inputs: { pipeline: 'endless', timeout: '8s', 'on-timeout': policy }, faults });
    expect(main.outputs['message']).toMatch(/^Step timed out after 8s: run \S+ of Endless was (?:not )?cancelled/);
    expect(shownBy(main)).not.toContain('When the timeout expired');
  },
);

describe('a trigger', () => {
  it('queues one run and puts its id in the outputs and the log before the first status check', async () => {
    let before = '';
    const main = await playMain({}, (it) => it.at(1_000, () => (before = `${it.outputs['job-id']} ${shownBy(it)}`)));
    expect(await resultOf(main)).toBe('exit 0: succeeded (completed)');
    expect(callsOf(main)).toBe('exchange list trigger read×4');
    expect(before).toMatch(new RegExp(`^${main.service.jobs[0]?.id} .*run ${main.service.jobs[0]?.id} is queued`, 's'));
    expect(main.service.violations).toEqual([]);
  });

  it.each([
    [{}, { p_full_resync: false, p_reset_target: false }],
    [{ 'full-resync': 'true' }, { p_full_resync: true, p_reset_target: false }],
    [
      { 'full-resync': 'true', 'reset-target': 'true' },
      { p_full_resync: true, p_reset_target: true },
    ],
  ])('with the inputs %j sends the parameters %j', async (inputs, parameters) => {
    const { service } = await playMain({ inputs });
    expect(service.jobs.map((job) => job.parameters)).toEqual([
      { p_pipeline_id: PIPELINE_IDS.orders, p_job_type: 'pipeline_run', ...parameters },
    ]);
  });

  it.each<[string, What, string, posts: number, runs: number, RegExp]>([
    ['loses its response', 'lost', 'unknown (unknown)', 1, 1, /may have triggered.*connection/s],
    ['gets no response', 'silent', 'unknown (unknown)', 1, 1, /may have triggered.*would trigger another run/s],
    ['has its tokens rejected', 'http_401', 'not_triggered (not_queued)', 3, 0, /HTTP 401/],
    ['is rejected', 'http_403', 'not_triggered (not_queued)', 1, 0, /"not yours"/],
    [
      'exceeds the credits',
      json(null),
      'not_triggered (not_queued)',
      1,
      0,
      /triggered: the account has no sync credits left.*Add credits/s,
    ],
  ])('that %s each time fails the step', async (_, what, result, posts, runs, words) => {
    const main = await playTriggers([what], { pipeline: 'orders' });
    expect(await resultOf(main)).toBe(`exit 1: ${result}`);
    expect([sentBy(main, 'trigger').length, main.service.jobs.length]).toEqual([posts, runs]);
    expect(shownBy(main)).toMatch(words);
    expect(main.annotations.map(({ level }) => level)).toEqual(['error']);
  });

  it.each<[string, What]>([
    ['refused a connection', 'refused'],
    ['rate-limited', 'http_429'],
    ['rejected because of its token', 'http_401'],
  ])('that was twice %s is sent again and queues one run', async (_, what) => {
    const main = await playTriggers([what, what, 'none']);
    expect(await resultOf(main)).toBe('exit 0: succeeded (completed)');
    expect([sentBy(main, 'trigger').length, runsOf(main)]).toEqual([3, 'completed']);
  });

  it.each<[string, What, message: string]>([
    ['rate-limited', 'http_429', 'Step interrupted (SIGINT): no run of Orders was triggered.'],
    ['rejected', 'http_403', 'No run of Orders was triggered: HTTP 403 "not yours" (code 42501).'],
  ])(
    'that was %s after a signal reports what prevented the run, and does not announce a retry',
    async (_, what, message) => {
      const main = await playTriggers([what], {}, (it) => it.at(POST_AT + 15, () => it.signal('SIGINT')));
      expect(await resultOf(main)).toBe('exit 1: cancelled (not_queued)');
      expect(sentBy(main, 'trigger')).toHaveLength(1);
      expect(main.outputs['message']).toBe(message);
      expect(shownBy(main)).not.toContain('will retry');
    },
  );

  it('is not sent again before the time that the service requests', async () => {
    const later = text('{}', 429, { 'retry-after': '50' });
    const main = await playTriggers([later, 'none']);
    const [first, second] = sentBy(main, 'trigger');
    expect(main.outputs['duration']).toBe('142');
    expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThanOrEqual(50_000);
    expect(main.log).toContainEqual(expect.stringMatching(/The service is responding again after 50s\.$/));
  });

  it.each<[string, Readonly<Record<string, string>>, nth: number]>([
    ['another pipeline', { pipeline: 'orders\ncustomers' }, 2],
    ['an earlier attempt', { pipeline: 'flaky', 'max-attempts': '2', 'retry-delay': '1s' }, 2],
    ['the run that it replaces', { pipeline: 'broken', 'job-id': 'existing' }, 1],
  ])('whose response contains the id of %s is unknown, so no result counts twice', async (_, inputs, repeats) => {
    const { service, id } = existingRun('broken', 600_000);
    const main = await playMain({
      service,
      inputs: { ...inputs, ...('job-id' in inputs && { 'job-id': id }) },
      faults: [{ call: 'trigger', from: repeats, times: 1, what: { service: [{ do: 'known-id' }] } }],
    });
    expect(await resultOf(main)).toBe('exit 1: unknown (unknown)');
    expect(shownBy(main)).toMatch(/may have triggered.*the id of a run that the step already knows/);
  });
});

describe('on-lost-response: retry', () => {
  const RETRY = { 'on-lost-response': 'retry' };

  it('repeats a trigger whose response was lost and warns that another run may exist', async () => {
    const main = await playTriggers(['lost', 'none'], { ...RETRY, 'max-attempts': '3' });
    expect(await resultOf(main)).toBe('exit 0: succeeded (completed)');
    expect(main.service.jobs).toHaveLength(2);
    expect(main.outputs['job-id']).toBe(main.service.jobs[1]?.id);
    expect(shownBy(main)).toMatch(/^warning .*other runs of Orders may exist/);
    expect(shownBy(main)).toContain('Several runs may be queued (on-lost-response: retry).');
  });

  it.each<[string, readonly What[], posts: number]>([
    ['all responses are lost', ['lost'], 5],
    ['the responses to five of ten triggers are lost', [...Array<What>(5).fill('refused'), 'lost'], 10],
    ['the last trigger is rejected', ['lost', 'http_403'], 2],
    ['the account runs out of credits', ['reset', json(null)], 2],
  ])('reports an unknown run if %s', async (_, faults, posts) => {
    const main = await playTriggers(faults, RETRY);
    expect(await resultOf(main)).toBe('exit 1: unknown (unknown)');
    expect(sentBy(main, 'trigger')).toHaveLength(posts);
    expect(shownBy(main)).toMatch(/the step may have triggered more than one run/);
  });

  it('reports an unknown run after max-outage if no response arrives', async () => {
    const main = await playTriggers(['silent'], { ...RETRY, 'max-outage': '3m' });
    expect(await resultOf(main)).toBe('exit 1: unknown (unknown)');
    expect(sentBy(main, 'trigger')).toHaveLength(3);
    expect(main.outputs['message']).toMatch(/; no valid response for \S+.*\(max-outage\)\./);
  });

  it('does not repeat a trigger whose failure would recur, such as an oversized response header', async () => {
    const main = await playTriggers([fails('HPE_HEADER_OVERFLOW', 'connected')], RETRY);
    expect(sentBy(main, 'trigger')).toHaveLength(1);
    expect(await resultOf(main)).toBe('exit 1: unknown (unknown)');
  });

  it('reports the last response if it arrives after a signal, and does not announce a retry', async () => {
    const main = await playTriggers(['http_503'], RETRY, (it) => it.at(POST_AT + 15, () => it.signal('SIGINT')));
    expect(await resultOf(main)).toBe('exit 1: unknown (unknown)');
    expect(sentBy(main, 'trigger')).toHaveLength(1);
    expect(shownBy(main)).toContain('HTTP 503 "try again later"');
    expect(shownBy(main)).not.toContain('Retrying');
  });

  it('reports why a response was lost if a signal prevents the next trigger', async () => {
    const main = await playTriggers(['http_503'], RETRY, (it) => it.at(POST_AT + 300, () => it.signal('SIGINT')));
    expect(await resultOf(main)).toBe('exit 1: unknown (unknown)');
    expect(main.outputs['message']).toContain('did not confirm the trigger: HTTP 503 "try again later"');
  });

  it('does not allow a further attempt after a run that may not be the only one', async () => {
    const inputs = { ...RETRY, pipeline: 'broken', 'max-attempts': '3', 'retry-delay': '1s' };
    const main = await playTriggers(['lost', 'none'], inputs);
    expect(await resultOf(main)).toBe('exit 1: failed (failed)');
    expect(sentBy(main, 'trigger')).toHaveLength(2);
    expect(shownBy(main)).toMatch(
      /\(attempt 1 of 3\) .* The step did not retry this run\. The service did not confirm every trigger/,
    );
  });
});

/** Plays the main step, and calls `act` right before its first effect that begins with these words and is not before `fromMs`. */
function playUntil(words: string, act: (main: FakeWorld) => void, fromMs = 0): Promise<FakeWorld> {
  let main: FakeWorld | undefined;
  const onEffect = (effect: string): void => {
    if (main === undefined || main.clock.now() < fromMs || !effect.startsWith(words)) return;
    const it = main;
    main = undefined;
    act(it);
  };
  return playMain({ onEffect, inputs: { pipeline: 'orders' } }, (it) => {
    main = it;
  });
}

describe('no POST is sent after a stop', () => {
  const STOPS: readonly (readonly [string, (main: FakeWorld) => void])[] = [
    ['a signal', (main) => main.signal('SIGTERM')],
    ['the mark of a post step', (main) => main.files.texts.set(`${recordsOf(main)[1]}.mark`, '')],
    [
      'a closed stdout',
      (main) => {
        main.closeStdout();
        main.world.toolkit.debug('noticed at this line');
      },
    ],
  ];

  it.each(STOPS)('by %s while the intent is being saved', async (_, stop) => {
    const main = await playUntil('append', stop, POST_AT);
    const connected = sentBy(main, 'trigger').filter((each) => each.connected !== undefined);
    expect(connected, 'a run was triggered after the stop').toEqual([]);
    expect(await resultOf(main)).toBe('exit 1: cancelled (not_queued)');
  });

  it.each(STOPS)('by %s during the pause before another POST', async (_, stop) => {
    const main = await playTriggers(['refused', 'none'], {}, (it) => it.at(POST_AT + 100, () => stop(it)));
    expect(callsOf(main), 'a run was triggered after the stop').toBe('exchange list trigger');
    expect(await resultOf(main)).toBe('exit 1: cancelled (not_queued)');
  });
});

it.each([
  ['the intent is in both files before the POST is sent', 'request trigger', '"triggering"'],
  ['the id of a run is in both files before it is shown', 'output job-id', '"jobId":"'],
])('%s', async (_, effect, text) => {
  const saved: unknown[] = [];
  await playUntil(effect, (main) => {
    for (const path of recordsOf(main)) saved.push(main.files.read(path));
  });
  const has: unknown = expect.stringContaining(text);
  expect(saved, 'a kill at this moment would hide the run from the post step').toEqual([has, has]);
});

describe('the intent to trigger a run', () => {
  it.each<[string, (main: FakeWorld) => void, remedy: string]>([
    ['it cannot be written to the state file', (main) => main.files.refuse(recordsOf(main)[0]), 'Free up disk space'],
    ['the journal has vanished', (main) => main.files.texts.delete(recordsOf(main)[1]), 'no step deletes RUNNER_TEMP'],
  ])('prevents the POST if %s', async (_, spoil, remedy) => {
    const main = await playMain({}, (it) => it.at(POST_AT - 5, () => spoil(it)));
    expect(await resultOf(main)).toBe('exit 1: not_triggered (not_queued)');
    expect(callsOf(main)).toBe('exchange list');
    expect(main.clock.now(), 'the step waited').toBeLessThan(1_000);
    expect(shownBy(main)).toMatch(/Could not save the state needed to cancel a run: E/);
    expect(shownBy(main)).toContain(remedy);
    const post = await playPost(main);
    expect(callsOf(post)).toBe('');
    // A report counts only if the state says so.
    expect(shownBy(post)).toMatch(/^$|^warning .*No run of Orders was triggered/);
  });
});

describe('a main step that is killed before it repeats a trigger', () => {
  it.each<[string, What, words: RegExp]>([
    [
      'that was refused a connection has provably no run',
      'refused',
      /^warning .*The step ended early: no run of Orders was triggered\./,
    ],
    ['whose response was lost may have a run', 'lost', /^warning .*may have triggered a run of Orders/],
  ])('%s', async (_, what, words) => {
    const main = await playTriggers([what], { 'on-lost-response': 'retry' }, (it) => it.at(300, () => it.kill()));
    expect(sentBy(main, 'trigger')).toHaveLength(1);
    expect(shownBy(await playPost(main))).toMatch(words);
  });
});

describe('after the intent, a failed write', () => {
  const jam = (main: FakeWorld): void => {
    for (const path of recordsOf(main)) main.files.refuse(path);
  };
  const free = (main: FakeWorld): void => {
    for (const path of recordsOf(main)) main.files.accept(path);
  };

  it('leaves the post step without the id after a kill, and the post step does not claim to know more', async () => {
    const main = await playMain({ inputs: { pipeline: 'endless' } }, (it) => {
      it.at(POST_AT + 5, () => jam(it));
      it.at(5_000, () => it.signal('SIGINT'));
      it.at(5_005, () => it.kill());
    });
    const shown = shownBy(await playPost(main));
    expect(shown).toMatch(
      /^warning .*may have triggered a run of Endless at \S+\. The step did not record a response to the trigger\./,
    );
    expect(shown).not.toContain('before the response arrived');
  });

  it('causes a warning, but the step shows the id and waits for the run', async () => {
    const main = await playMain({}, (it) => it.at(POST_AT + 5, () => jam(it)));
    expect(await resultOf(main)).toBe('exit 0: succeeded (completed)');
    expect(main.outputs['job-id']).toBe(main.service.jobs[0]?.id);
    expect(shownBy(main)).toMatch(/Could not save the state of the runs to the journal in RUNNER_TEMP: ENOSPC/);
  });

  it('is not retried between a signal and the first cancel, because no disk may delay the cancel', async () => {
    const effects: string[] = [];
    await playMain({ inputs: { pipeline: 'endless' }, onEffect: (effect) => void effects.push(effect) }, (it) => {
      it.at(POST_AT + 5, () => jam(it));
      it.at(5_000, () => {
        effects.length = 0;
        it.signal('SIGINT');
      });
    });
    const cancel = effects.findIndex((effect) => effect.startsWith('request cancel'));
    expect(cancel).toBeGreaterThanOrEqual(0);
    expect(effects.slice(0, cancel).filter((effect) => effect.startsWith('append'))).toEqual([]);
  });

  it.each([
    ['state', 'journal', withoutJournal, 'none'],
    ['journal', 'state', withoutState, 'none'],
    ['journal', 'state', withoutState, 'reset'],
  ] as const)(
    'in the %s file is repaired with the next status check, before the %s is lost',
    async (name, _, lose, what) => {
      const main = await playMain({ inputs: { pipeline: 'endless' }, faults: [{ call: 'read', what }] }, (it) => {
        it.at(POST_AT + 5, () => it.files.refuse(recordsOf(it)[name === 'state' ? 0 : 1]));
        it.at(1_000, () => free(it));
        it.at(5_000, () => it.kill());
      });
      expect(shownBy(main)).toMatch(/Could not save the state .*can save the state .* again\.$/s);
      expect(runsOf(await playPost(main, lose(main)))).toBe('cancelled');
    },
  );
});

it('a lost response is logged immediately if other runs have yet to be triggered', async () => {
  const faults: RequestFault[] = [{ call: 'trigger', times: 1, what: 'lost' }];
  const main = await playMain({ inputs: { pipeline: 'orders\nslow' }, faults });
  const lines = main.log.map((line, index) => [index, line] as const);
  const [lostAt = Infinity] =
    lines.find(([, line]) => line.startsWith('The step may have triggered a run of Orders')) ?? [];
  const [queuedAt = 0] = lines.find(([, line]) => line.includes('Slow: run')) ?? [];
  expect(lostAt).toBeLessThan(queuedAt);
});
