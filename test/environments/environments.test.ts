// Runs the bundles, or those in the folder ACTION, in unusual environments on Linux. Some rows need root.
import { spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { StepProcess } from '../../sandbox/runner/index.ts';
import { selfSigned } from '../../sandbox/server/index.ts';
import {
  type After,
  API,
  APP,
  broken,
  killAfter,
  logOf,
  named,
  onLine,
  onStage,
  type Played,
  POLL_INTERVAL,
  unreported,
  useAction,
} from '../support/e2e.ts';
import { ROWS, type Row, WAYS, type Way } from './rows.ts';

const action = useAction(process.env['ACTION']);

/** The time limit of a row. The slowest row takes 21 s. */
const LIMIT_MS = 40_000;
const REPOSITORY = join(import.meta.dirname, '..', '..');
const identity = selfSigned(APP, API);
const isRoot = process.getuid?.() === 0;

let base = '';
beforeAll(() => {
  base = mkdtempSync(join(tmpdir(), 'environments-'));
  for (const open of [base, action.folder]) chmodSync(open, 0o755);
  // Other users may lack access to the folder of this Node.js.
  copyFileSync(process.execPath, join(base, 'node'));
});
afterAll(() => rmSync(base, { recursive: true, force: true }));

/** Installs Node.js outside the repository. Returns its path, or undefined if npm cannot install this version. */
function install(version: string): string | undefined {
  const command = `. .ci/tools.sh && install_node ${version} >&2 && echo "$TOOLS/node-${version}"`;
  const { status, stdout } = spawnSync('bash', ['-c', command], { cwd: REPOSITORY, encoding: 'utf8' });
  return status === 0 ? join(stdout.trim(), 'node_modules', 'node', 'bin', 'node') : undefined;
}

/** Writes a program that starts Node.js as the row requires. It uses Bash, because other shells drop INPUT_API-KEY. */
function launcher({ main = '', post = '' }: Row, folder: string, node: string): string {
  const path = join(folder, 'launch');
  // Both users need access to the job's files.
  const open = 'chmod -R a+rwX "$GITHUB_WORKSPACE/../.."';
  const choice = `case $1 in */post.js)\n${post}\n;;\n*)\n${open}\n${main}\n;;\nesac`;
  writeFileSync(path, `#!/bin/bash\nNODE=${node}\n${choice}\nexec "$NODE" "$@"\n`, { mode: 0o755 });
  return path;
}

async function playRow(row: Row, node: string, after: After): Promise<Played> {
  const folder = mkdtempSync(join(base, 'row-'));
  chmodSync(folder, 0o777);
  const authority = join(folder, 'authority.pem');
  writeFileSync(authority, identity.cert);
  const prepared = (await row.prepare?.({ folder, after })) ?? {};
  const { pipeline, rule, mode, moment }: Way = WAYS[row.how];
  let main: StepProcess | undefined;
  const surroundings = {
    rules: rule === undefined ? [] : [rule],
    service: row.tls ? { tls: identity } : {},
    job: {
      node: launcher(row, folder, node),
      env: { ...row.env, ...prepared.env, ...(row.tls && { NODE_EXTRA_CA_CERTS: authority }) },
      temp: row.temp ?? true,
    },
  };
  return onStage(action, surroundings, async ({ sandbox, play }) => {
    const played = await play({
      inputs: { pipeline, 'poll-interval': POLL_INTERVAL, ...(row.tls && named(sandbox)) },
      step: {
        ...prepared,
        onPostStart(process) {
          killAfter(LIMIT_MS, process);
          if (row.how === 'is killed before post is interrupted') {
            onLine(process, /./, () => process.signal('SIGINT'));
          }
        },
      },
      mode: mode ?? 'workflow',
      mayExitFirst: mode === undefined,
      async when(process) {
        main = process;
        killAfter(LIMIT_MS, process);
        await (moment?.(sandbox, process) ?? sandbox.end('read'));
        prepared.atMoment?.();
        return mode ?? new Promise(() => undefined);
      },
    });
    // A main process that runs in parallel with post may still wait for these responses.
    for (const kind of ['exchange', 'trigger'] as const) sandbox.release(kind, 1);
    return { ...played, main: { ...played.main, ...(await main?.ended) } };
  });
}

function faultsIn(row: Row, played: Played): readonly string[] {
  const { main, post, runs, statuses } = played;
  const way: Way = WAYS[row.how];
  const must = { ...way.must, ...row.must };
  const [mainEnd, postEnd] = [main, post].map((process) => process?.exitCode ?? process?.signal ?? 'none');
  const isIdKnown = !/loses its state|during its trigger/.test(row.how);
  const ended = statuses.join();
  return broken([
    [mainEnd === must.main, `main ended with ${mainEnd}, not ${must.main}`],
    [postEnd === must.post, `post ended with ${postEnd}, not ${must.post}`],
    [must.runs.split('|').includes(ended), `runs: [${ended}], not [${must.runs}]`],
    [runs.length < 2, 'there are two runs'],
    [mainEnd !== 0 || ended === 'completed', 'main succeeded without a completed run'],
    [unreported(played, () => isIdKnown).length === 0, 'no warning names the run in progress'],
    [must.shows?.test(logOf(played)) !== false, `the log does not contain ${String(must.shows)}`],
  ]);
}

describe.concurrent('a step that', () => {
  it.for(ROWS.map((row) => [`${row.how} keeps its promises with ${row.environment}`, row] as const))(
    '%s',
    async ([, row], { skip, onTestFinished: after }) => {
      const needsRoot = /unshare|setpriv|tmpfs/.test(`${row.environment} ${row.main} ${row.post}`);
      skip(needsRoot && !isRoot, 'needs root');
      const node = row.node === undefined ? join(base, 'node') : install(row.node);
      if (node === undefined) return skip('npm cannot install this Node.js');
      const played = await playRow(row, node, after);
      expect(faultsIn(row, played), logOf(played)).toEqual([]);
    },
  );
});
