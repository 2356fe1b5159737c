// What the post step does without the state or the journal, and with the records of several processes.
import { describe, expect, it } from 'vitest';
import type { RequestFault } from '../../../sandbox/faults.ts';
import {
  callsOf,
  ENDLESS,
  existingRun,
  journalsOf,
  killedAt,
  playMain,
  playPost,
  runsOf,
  sentBy,
  shownBy,
  startMain,
  withoutJournal,
  withoutState,
} from '../../support/steps.ts';
import { BASE_URL, type FakeOptions, type FakeWorld, fakeWorld } from '../../support/world.ts';

const UNKNOWN_ID = '11111111-2222-4333-8444-555555555555';
const CANCELLED: FakeOptions = { inputs: { 'internal-job-status': 'cancelled' } };

describe('if records are lost or damaged, the post step', () => {
  it('says that nothing was recorded if both records are gone', async () => {
    const main = await killedAt(5_000);
    main.files.texts.delete(journalsOf(main)[0] ?? '');
    const post = await playPost(main, withoutState(main));
    expect(shownBy(post)).toMatch(
      /^warning .*left no record.*\sCheck this workflow's pipeline runs in the application\./,
    );
    expect(post.clock.now()).toBeLessThan(11_000);
  });

  it('warns that a run may not be on record only if the journal is gone', async () => {
    const shown = [];
    for (const lose of [withoutJournal, withoutState]) {
      const main = await killedAt(5_000);
      shown.push(/may have triggered a run that is not on record\.$/m.test(shownBy(await playPost(main, lose(main)))));
    }
    expect(shown).toEqual([true, false]);
  });

  it('lists the pipelines and runs in its inputs if nothing was recorded', async () => {
    const inputs = { pipeline: 'orders\n \ncustomers', 'job-id': 'x' };
    const post = await playPost(fakeWorld(), { inputs });
    expect(shownBy(post)).toContain('Check the runs of "orders", "customers" and "x" in the application.');
  });

  it.each([
    ['true', true],
    ['', false],
  ])(
    'warns about the tables if nothing was recorded and its own reset-target is "%s": %s',
    async (value, isExpected) => {
      const inputs = { pipeline: 'orders', 'reset-target': value };
      const post = await playPost(fakeWorld(), { inputs });
      expect(shownBy(post).includes('the destination tables may be missing or incomplete')).toBe(isExpected);
    },
  );

  it.each([
    ['is missing', (main: FakeWorld) => withoutJournal(main)],
    ['lacks a line', (main: FakeWorld) => ({ env: { ...main.state, STATE_run_pipeline_1: '{"n":9,"at":"trig' } })],
  ])(
    'warns about the tables of a run that is not on record if the first line says reset-target and the rest %s',
    async (_, lose) => {
      const inputs = { pipeline: 'endless', 'full-resync': 'true', 'reset-target': 'true' };
      const main = await killedAt(5_000, { inputs });
      const post = await playPost(main, lose(main));
      expect(runsOf(post)).toBe('cancelled');
      expect(shownBy(post)).toMatch(
        /^warning .*\sBecause reset-target is true, the destination tables may be missing or incomplete/m,
      );
    },
  );

  it.each([
    ['was a dry run', { pipeline: 'endless', 'full-resync': 'true', 'reset-target': 'true', 'dry-run': 'true' }],
    ['only waits for existing runs', { pipeline: '', 'job-id': UNKNOWN_ID }],
  ])('does not warn about unknown runs if the main step %s', async (_, inputs) => {
    const main = await killedAt(30, { inputs });
    expect(shownBy(await playPost(main, withoutJournal(main)))).not.toMatch(/not on record|destination tables/);
  });

  it('says that the record is unreadable if its first line is cut off', async () => {
    const main = await killedAt(5_000);
    main.files.texts.delete(journalsOf(main)[0] ?? '');
    const post = await playPost(main, { env: { STATE_run_pipeline: '{"n":1,"pid' } });
    expect(shownBy(post)).toMatch(
      /^warning .*cannot read a record of this step, so it cannot cancel a run that may still be running/,
    );
  });

  it('uses the journal if the first line of the state is cut off', async () => {
    const main = await killedAt(5_000);
    const { env } = withoutState(main);
    expect(runsOf(await playPost(main, { env: { ...env, STATE_run_pipeline: '{"n":1,"pid' } }))).toBe('cancelled');
  });
});

describe('with only the journal, the post step', () => {
  it('says that it could not find an existing run, as the main step did', async () => {
    const main = await playMain({ inputs: { pipeline: '', 'job-id': UNKNOWN_ID, 'on-cancel': 'cancel' } });
    const shown = shownBy(await playPost(main, withoutState(main)));
    expect(shown).toContain(`Could not find run ${UNKNOWN_ID}`);
    expect(shown).not.toContain('did not check');
  });

  it('leaves a detached run to a later post step, which cancels it once the job is cancelled', async () => {
    const main = await playMain({ inputs: { pipeline: 'endless', wait: 'false' } });
    const lost = withoutState(main);
    expect(runsOf(await playPost(main, lost))).toBe('queued');
    expect(runsOf(await playPost(main, { ...lost, ...CANCELLED }))).toBe('cancelled');
  });

  // The runner may have abandoned the main step and never shown its log.
  it.each([
    ['reports a failed run', { pipeline: 'broken' }, /^warning .*Run \S+ of Broken failed/],
    [
      'reports a run that was cancelled after a timeout',
      { pipeline: 'endless', timeout: '40s' },
      /Step timed out after 40s: run \S+ of Endless was cancelled/,
    ],
    [
      'reports a success',
      {},
      /^Run \S+ of Orders completed\.\nRe-running this job would trigger another run of "orders"\.$/,
    ],
    ['does not report rejected inputs', { wait: 'maybe' }, /^$/],
    [
      'reports a detached run',
      { wait: 'false' },
      /^Run \S+ of Orders was queued\. The step does not wait for it \(wait: false\)\.$/,
    ],
  ])('%s', async (_, inputs, words) => {
    const main = await playMain({ inputs });
    const post = await playPost(main, withoutState(main));
    expect(shownBy(post)).toMatch(words);
    expect(callsOf(post)).toBe('');
  });

  it.each(['', 'endless'])(
    'reports that the step lost contact with an existing run (pipeline "%s")',
    async (pipeline) => {
      const { service, id } = existingRun('endless');
      const inputs = { pipeline, 'job-id': id };
      const main = await playMain({ service, inputs, faults: [{ call: 'read', from: 2, what: 'http_403' }] });
      const post = await playPost(main, withoutState(main));
      expect(shownBy(post)).toMatch(/^warning .*Lost contact with run .*To keep waiting for this run, start a new/s);
    },
  );

  it('repeats a report that only the journal confirms, because the runner may have abandoned the step earlier', async () => {
    const main = await playMain({ inputs: { pipeline: 'broken' } });
    const post = await playPost(main, { env: { ...main.state, STATE_run_pipeline_end: undefined } });
    expect([callsOf(post), shownBy(post)]).toEqual(['', expect.stringMatching(/^warning .*Run \S+ of Broken failed/)]);
    // The first report replaces the last line of the main step.
    expect(shownBy(await playPost(main, { env: { ...main.state, STATE_run_pipeline_end: undefined } }))).toBe('');
  });

  it('takes the address from its own base-url input', async () => {
    const main = await killedAt(5_000);
    const elsewhere = { 'base-url': 'https://other.example.test' };
    const kept = await playPost(main, { inputs: elsewhere });
    const again = await killedAt(5_000);
    const lost = await playPost(again, { ...withoutState(again), inputs: elsewhere });
    expect(kept.requests[0]?.url.origin).toBe(BASE_URL);
    expect(lost.requests[0]?.url.origin).toBe('https://other.example.test');
  });

  it('gives up after three reads if a different service does not have the run', async () => {
    const main = await killedAt(5_000);
    const inputs = { 'base-url': 'https://other.example.test' };
    const post = await playPost(main, { ...withoutState(main), inputs, faults: [{ what: 'empty' }] });
    expect(sentBy(post, 'read')).toHaveLength(3);
    expect(shownBy(post)).toMatch(/^warning .*may still be running/);
  });

  it('reports the run but cannot cancel it if base-url is empty', async () => {
    const main = await killedAt(5_000);
    const post = await playPost(main, { ...withoutState(main), inputs: { 'base-url': '' } });
    expect(callsOf(post)).toBe('');
    expect(shownBy(post)).toMatch(
      new RegExp(`^warning .*${main.service.jobs[0]?.id}.*Composite action.* an input named base-url`, 's'),
    );
  });

  it('settles the runs of every main process of its step, but of no other step', async () => {
    const first = await killedAt(5_000);
    const second = await playMain({ ...ENDLESS, beside: first }, (it) => it.at(10_000, () => it.kill()));
    await playMain({ ...ENDLESS, beside: first, env: { GITHUB_ACTION: '__other' } }, (it) =>
      it.at(15_000, () => it.kill()),
    );
    expect(journalsOf(first)).toHaveLength(3);
    const post = await playPost(second, withoutState(second));
    expect(runsOf(post)).toBe('cancelled cancelled picked');
    const again = await playPost(second, withoutState(second));
    expect(`${callsOf(again)}${shownBy(again)}${again.summary}`).toBe('');
  });

  it.each([
    ['is unreadable', /^run_pipeline=.*/, 'run_pipeline={"n":1,"pid', /cannot read a record/],
    ['causes an error', /"target":\{[^}]*\}/g, '"target":null', /The post step failed: Cannot/],
  ])('settles a run even if another journal %s', async (_, whole, damaged, warning) => {
    const first = await killedAt(5_000);
    const [journal = ''] = journalsOf(first);
    const text = first.files.read(journal) ?? '';
    first.files.texts.set(journal, text.replace(whole, damaged));
    const second = await playMain({ ...ENDLESS, beside: first }, (it) => it.at(10_000, () => it.kill()));
    const post = await playPost(second, withoutState(second));
    expect(runsOf(post)).toBe('running cancelled');
    expect(shownBy(post)).toMatch(warning);
  });

  it('cancels a run immediately even if the run in another journal cannot be cancelled', async () => {
    const first = await killedAt(5_000);
    const second = await playMain({ inputs: { pipeline: 'slow' }, beside: first }, (it) =>
      it.at(10_000, () => it.kill()),
    );
    const other = first.service.jobs[1]?.id;
    const faults: RequestFault[] = [{ about: 'endless', what: 'http_503' }];
    const post = await playPost(second, { ...withoutState(second), faults });
    expect(runsOf(post)).toBe('running cancelled');
    expect(sentBy(post, 'cancel').find(({ url }) => url.href.includes(other ?? '-'))?.at).toBeLessThan(11_000);
  });
});

it('a post step leaves a run that it could not cancel to the next post step', async () => {
  const main = await killedAt(70_000, { inputs: { pipeline: 'broken\nendless' } });
  await playPost(main, { ...withoutState(main), inputs: { 'api-key': '' } });
  expect(runsOf(await playPost(main, withoutState(main)))).toBe('failed cancelled');
});

it('the post step does not repeat the report of one run when it cancels another', async () => {
  const main = await playMain({
    inputs: { pipeline: 'broken\nendless', 'max-outage': '1m' },
    faults: [{ call: 'read', about: 'endless', what: 'reset' }],
  });
  const post = await playPost(main, CANCELLED);
  expect(runsOf(post)).toBe('failed cancelled');
  expect(shownBy(post)).not.toContain('Broken');
});

describe('the post step warns only once', () => {
  it('about journals that other files have replaced', async () => {
    const main = await killedAt(5_000);
    const [journal = ''] = journalsOf(main);
    for (const path of [journal, `${journal}2`]) main.files.texts.set(path, 'run_pipeline=something else');
    const post = await playPost(main, withoutState(main));
    expect(shownBy(post).match(/cannot read a record/g)).toHaveLength(1);
    const another = await playPost(main, withoutState(main));
    expect(shownBy(another)).toBe('');
  });

  it('if a record cannot be read and the journal is missing', async () => {
    const main = await killedAt(5_000);
    for (const path of journalsOf(main)) main.files.texts.delete(path);
    const post = await playPost(main, { env: { ...main.state, STATE_run_pipeline_0: '{"n":9,"at":"trig' } });
    expect(shownBy(post).match(/^warning /gm)).toHaveLength(1);
  });
});

it('a post step that finds only a journal without the id lets the post step with the state cancel the run', async () => {
  const main = await playMain({
    inputs: { pipeline: 'endless', wait: 'false' },
    faults: [{ file: 'journal', from: 4, what: 'full_disk' }],
  });
  const inputs = { 'internal-job-status': 'cancelled' };
  await playPost(main, { ...withoutState(main), inputs });
  expect(runsOf(await playPost(main, { inputs }))).toBe('cancelled');
});

it('a post step without state finds a main step that starts later, even if an earlier use has left its journal', async () => {
  const first = await playMain({ inputs: { pipeline: 'orders' } });
  let main = first;
  const inputs = { 'internal-job-status': 'cancelled' };
  const post = await playPost(first, { ...withoutState(first), inputs }, (it) =>
    it.at(first.clock.now() + 1_000, () => {
      main = startMain({ inputs: { pipeline: 'endless' }, beside: first });
    }),
  );
  await main.clock.advance(60_000);
  expect(runsOf(post)).toBe('completed cancelled');
});
