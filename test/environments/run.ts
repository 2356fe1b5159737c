// Runs the bundles in odd environments on Linux and prints what happened. Arguments select the rows whose names
// contain all of them. ACTION names the folder of another build.
import { spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import * as runner from '../../sandbox/runner/index.ts';
import { type Rule, type Sandbox, selfSigned } from '../../sandbox/server/index.ts';
import { API, APP, killAfter, logOf, named, onStage, POLL_INTERVAL, type Stage } from '../support/e2e.ts';
import { type Prepared, ROWS, type Row } from './rows.ts';

/** What must hold in a row. `faultsIn` adds what must hold in all rows. */
export interface Must {
  /** Exit codes, or the signals that end the processes. */
  readonly main: number | string;
  readonly post: number | string;
  /** The accepted final statuses of the run (`a|b`). Empty: nothing was triggered. */
  readonly runs: string;
  readonly says?: RegExp;
}

interface Way {
  readonly must: Must;
  readonly pipeline: 'orders' | 'broken' | 'endless';
  /** How the runner stops main. Absent: main ends by itself. */
  readonly mode?: runner.Mode;
  /** When it does so. Default: after the first read of the status. */
  readonly moment?: (sandbox: Sandbox) => Promise<unknown>;
  readonly rule?: Rule;
}

const CANCELLED = { main: 1, post: 0, runs: 'cancelled' } as const;
const NOTHING = { main: 1, post: 0, runs: '' } as const;
const STOPPED = { pipeline: 'endless', mode: runner.MODES.workflow, must: CANCELLED } as const;
const KILLED = { ...STOPPED, mode: runner.MODES['act-host'], must: { ...CANCELLED, main: 'SIGKILL' } } as const;
/** Main gets no signal, and post runs beside it, as in a job container. */
const ALIVE = { ...STOPPED, mode: runner.MODES.container } as const;
const LEFT = { ...KILLED.must, runs: 'running' } as const;

const held = (kind: 'exchange' | 'trigger', must: Must) => {
  const how = { do: 'hold', point: 'after-commit' } as const;
  return { ...ALIVE, rule: { kind, nth: 1, how }, moment: (sandbox: Sandbox) => sandbox.commit(kind), must };
};
const SILENCE = { do: 'silence', point: 'before-commit' } as const;

const WAYS = {
  completes: { pipeline: 'orders', must: { main: 0, post: 0, runs: 'completed' } },
  fails: { pipeline: 'broken', must: { main: 1, post: 0, runs: 'failed' } },
  'is refused': { pipeline: 'orders', must: { ...NOTHING, says: /^Error: /m } },
  'never starts': { pipeline: 'orders', must: { ...NOTHING, main: 0 } },
  cancelled: STOPPED,
  'cancelled before its trigger': { ...STOPPED, moment: () => sleep(1_500), must: NOTHING },
  killed: KILLED,
  'killed, state lost': { ...KILLED, mode: { ...KILLED.mode, post: 'state lost' } },
  'killed, post never starts': { ...KILLED, must: { ...LEFT, post: 1 } },
  'killed, post interrupted': { ...KILLED, must: LEFT },
  alive: ALIVE,
  'alive, key exchange in flight': held('exchange', NOTHING),
  'alive, trigger in flight': held('trigger', { ...CANCELLED, runs: 'cancelled|running' }),
  'main is hit': { pipeline: 'endless', must: { ...CANCELLED, runs: 'cancelled|running' } },
  'post is hit': { ...KILLED, rule: { kind: 'cancel', nth: 1, how: SILENCE } },
} as const satisfies Record<string, Way>;

export type How = keyof typeof WAYS;
/** For a row. The slowest takes 21 s. */
const LIMIT_MS = 40_000;
const AT_ONCE = 4;
const REPOSITORY = join(import.meta.dirname, '..', '..');
const identity = selfSigned(APP, API);

/** A program that starts Node as the row says. Bash, because other shells drop variables such as INPUT_API-KEY. */
function launcher({ main = '', post = '' }: Row, folder: string, node: string): string {
  const path = join(folder, 'launch');
  // Both users must be able to reach the files of the job.
  const open = 'chmod -R a+rwX "$GITHUB_WORKSPACE/../.."';
  const choice = `case $1 in */post/*)\n${post}\n;;\n*)\n${open}\n${main}\n;;\nesac`;
  writeFileSync(path, `#!/bin/bash\nNODE=${node}\n${choice}\nexec "$NODE" "$@"\n`, { mode: 0o755 });
  return path;
}

async function play(row: Row, base: string, action: string, node: string): Promise<Seen> {
  const cleanUps: (() => void)[] = [];
  const folder = mkdtempSync(join(base, 'row-'));
  chmodSync(folder, 0o777);
  const authority = join(folder, 'authority.pem');
  writeFileSync(authority, identity.cert);
  try {
    const prepared = (await row.prepare?.({ folder, action, after: (task) => cleanUps.push(task) })) ?? {};
    const env = { ...row.env, ...prepared.env, ...(row.tls && { NODE_EXTRA_CA_CERTS: authority }) };
    const { rule }: Way = WAYS[row.how];
    const service = row.tls ? { tls: identity } : {};
    const job = { node: launcher(row, folder, node), env, temp: row.temp ?? true };
    const installed = { folder: prepared.action ?? action };
    return await onStage(installed, { rules: rule === undefined ? [] : [rule], service, job }, (stage) =>
      playOn(stage, row, prepared),
    );
  } finally {
    for (const cleanUp of cleanUps) cleanUp();
  }
}

type Seen = Awaited<ReturnType<typeof playOn>>;

async function playOn({ sandbox, play }: Stage, row: Row, prepared: Prepared) {
  const { pipeline, mode, moment }: Way = WAYS[row.how];
  const isHit = row.how === 'post is hit';
  let main: runner.StepProcess | undefined;
  const { post, runs, statuses, ...result } = await play({
    inputs: { pipeline, 'poll-interval': POLL_INTERVAL, ...(row.tls && named(sandbox)) },
    step: {
      ...prepared,
      onPostStart(process) {
        killAfter(LIMIT_MS, process);
        if (isHit) void sandbox.arrival('cancel').then(prepared.atMoment);
        if (row.how === 'killed, post interrupted') setTimeout(() => process.signal('SIGINT'), 1_500);
      },
    },
    mode: mode ?? 'workflow',
    async when(process) {
      main = process;
      killAfter(LIMIT_MS, process);
      await (moment?.(sandbox) ?? sandbox.end('read'));
      if (!isHit) prepared.atMoment?.();
      return mode ?? new Promise(() => undefined);
    },
  });
  for (const kind of ['exchange', 'trigger'] as const) sandbox.release(kind, 1);
  const ended = await main?.ended;
  const notes = [result.main, post].flatMap((process) => process?.annotations ?? []);
  return {
    runs,
    statuses,
    main: ended?.exitCode ?? ended?.signal ?? 'none',
    post: post?.exitCode ?? post?.signal ?? 'none',
    warnings: notes.flatMap(({ level, message }) => (level === 'notice' ? [] : message)).join('\n'),
    log: logOf({ ...result, post }),
  };
}

function faultsIn(row: Row, { main, post, runs, statuses, warnings, log }: Seen, tookMs: number): string[] {
  const way: Way = WAYS[row.how];
  const must: Must = { ...way.must, ...row.must };
  // Other code ends the process before the action starts, so the action cannot fail or warn.
  const neverStarts = row.how.endsWith('never starts');
  // In these two, nothing that post can read contains the id.
  const ofPipeline = /state lost|trigger in flight/.test(row.how) ? new RegExp(way.pipeline, 'i') : /(?!)/;
  const inProgress = runs.filter((_, at) => /queued|picked|running/.test(statuses[at] ?? ''));
  const isNamed = inProgress.every(({ id }) => warnings.includes(id)) || ofPipeline.test(warnings);
  const ended = statuses.join();
  const checks: readonly [boolean, string][] = [
    [tookMs < LIMIT_MS, 'it took too long'],
    [main === must.main, `main ended with ${main}, not ${must.main}`],
    [post === must.post, `post ended with ${post}, not ${must.post}`],
    [must.runs.split('|').includes(ended), `runs: [${ended}], not [${must.runs}]`],
    [runs.length < 2, 'there are two runs'],
    [main !== 0 || ended === 'completed' || neverStarts, 'main succeeded without a completed run'],
    [isNamed || neverStarts, 'no warning names the run in progress'],
    [must.says?.test(log) !== false, `the log does not contain ${String(must.says)}`],
  ];
  return checks.filter(([holds]) => !holds).map(([, otherwise]) => otherwise);
}

/** Where npm installed this version, outside of the repository; undefined if it cannot. */
function install(version: string): string | undefined {
  const command = `. .ci/tools.sh && install_node ${version} >&2 && echo "$TOOLS/node-${version}"`;
  const { status, stdout } = spawnSync('bash', ['-c', command], { cwd: REPOSITORY, encoding: 'utf8' });
  return status === 0 ? join(stdout.trim(), 'node_modules', 'node', 'bin', 'node') : undefined;
}

const isRoot = process.getuid?.() === 0;
const nameOf = ({ environment, how }: Row): string => `${environment}: ${how}`;

/** The cells of a line of the table, and the report on what does not hold. */
async function resultOf(row: Row, base: string, action: string, node?: string): Promise<string[][]> {
  const name = nameOf(row);
  const needsRoot = row.needsRoot ?? /unshare|setpriv/.test(`${row.main} ${row.post}`);
  if (needsRoot && !isRoot) return [[name, '', '', 'skipped: needs root']];
  if (node === undefined) return [[name, '', '', 'skipped: npm cannot install it']];
  const since = performance.now();
  try {
    const seen = await play(row, base, action, node);
    const tookMs = performance.now() - since;
    const faults = faultsIn(row, seen, tookMs);
    const verdict = `${faults.length === 0 ? 'ok' : 'BROKEN'} (${(tookMs / 1_000).toFixed(1)} s)`;
    const cells = [name, `${seen.main}`, `${seen.post}`, verdict];
    const report = [name, ...faults.map((fault) => `- ${fault}`), seen.log.replace(/^/gm, '    ')];
    return faults.length === 0 ? [cells] : [cells, report];
  } catch (error) {
    return [[name, '', '', 'BROKEN'], [`${name}\n- ${String(error)}`]];
  }
}

async function runAll(words: readonly string[]): Promise<boolean> {
  const rows = ROWS.filter((row) => words.every((word) => nameOf(row).includes(word)));
  const base = mkdtempSync(join(tmpdir(), 'environments-'));
  const { folder, remove } = runner.installAction(process.env['ACTION'] ?? REPOSITORY);
  for (const open of [base, folder]) chmodSync(open, 0o755);
  // Other users may not be able to reach the folder of this Node.
  const own = join(base, 'node');
  copyFileSync(process.execPath, own);
  const nodes = new Map(rows.map(({ node }) => [node, node === undefined ? own : install(node)]));
  const results: string[][][] = [];
  const waiting = rows.entries();
  const work = async (): Promise<void> => {
    for (const [at, row] of waiting) results[at] = await resultOf(row, base, folder, nodes.get(row.node));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  remove();
  rmSync(base, { recursive: true, force: true });
  const table = [['environment', 'main', 'post', 'verdict'], ...results.map(([cells = []]) => cells)];
  const widths = [0, 1, 2].map((at) => Math.max(...table.map((cells) => cells[at]?.length ?? 0)));
  for (const cells of table) console.log(cells.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join(' | '));
  const reports = results.flatMap(([, report = []]) => (report.length === 0 ? [] : report.join('\n')));
  for (const report of reports) console.log(`\n${report}`);
  const seconds = Math.round(performance.now() / 1_000);
  console.log(`\n${results.length} rows, ${reports.length} broken, ${seconds} s`);
  return reports.length === 0 && results.length > 0;
}

// In a mount namespace, mounts disappear with this process, however it ends.
if (isRoot && process.env['IN_NAMESPACE'] === undefined) {
  const env = { ...process.env, IN_NAMESPACE: 'yes' };
  const args = ['--mount', process.execPath, ...process.argv.slice(1)];
  process.exit(spawnSync('unshare', args, { stdio: 'inherit', env }).status ?? 1);
}
process.exit((await runAll(process.argv.slice(2))) ? 0 : 1);
