// The environments in which `npm run environments` runs the bundles, and the promises that apply to each.
import { execFileSync, spawnSync } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { MODES, type Mode, type StepOptions } from '../../sandbox/runner/index.ts';
import type { Rule, Sandbox } from '../../sandbox/server/index.ts';
import type { After } from '../support/e2e.ts';
import { forwardProxy, heldHost } from '../support/hosts.ts';

/** The promises of a row. `faultsIn` adds the promises that apply to all rows. */
interface Must {
  /** Exit codes, or the signals that end the processes. */
  readonly main: number | string;
  readonly post: number | string;
  /** The accepted final statuses of the run (`a|b`). Empty: main triggered nothing. */
  readonly runs: string;
  readonly says?: RegExp;
}

export interface Way {
  readonly must: Must;
  readonly pipeline: 'orders' | 'endless';
  /** How the runner stops main. Default: main exits by itself. */
  readonly mode?: Mode;
  /** When the runner stops main. Default: after the first read of the status. */
  readonly moment?: (sandbox: Sandbox) => Promise<unknown>;
  readonly rule?: Rule;
}

const CANCELLED = { main: 1, post: 0, runs: 'cancelled' } as const;
const NOTHING = { main: 1, post: 0, runs: '' } as const;
const STOPPED = { pipeline: 'endless', mode: MODES.workflow, must: CANCELLED } as const;
const KILLED = { ...STOPPED, mode: MODES['act-host'], must: { ...CANCELLED, main: 'SIGKILL' } } as const;
/** Main gets no signal and runs in parallel with post, as in a job container. */
const ALIVE = { ...STOPPED, mode: MODES.container } as const;
const LEFT = { ...KILLED.must, runs: 'running' } as const;

const held = (kind: 'exchange' | 'trigger', must: Must) => {
  const how = { do: 'hold', point: 'after-commit' } as const;
  return { ...ALIVE, rule: { kind, nth: 1, how }, moment: (sandbox: Sandbox) => sandbox.commit(kind), must };
};

export const WAYS = {
  completes: { pipeline: 'orders', must: { main: 0, post: 0, runs: 'completed' } },
  'is refused': { pipeline: 'orders', must: { ...NOTHING, says: /^Error: /m } },
  cancelled: STOPPED,
  'cancelled before its trigger': { ...STOPPED, moment: () => sleep(1_500), must: NOTHING },
  killed: KILLED,
  'killed, state lost': { ...KILLED, mode: { ...KILLED.mode, post: 'state lost' } },
  'killed, post interrupted': { ...KILLED, must: LEFT },
  alive: ALIVE,
  'alive, key exchange in flight': held('exchange', NOTHING),
  'alive, trigger in flight': held('trigger', { ...CANCELLED, runs: 'cancelled|running' }),
} as const satisfies Record<string, Way>;

type How = keyof typeof WAYS;

export interface Row {
  readonly environment: string;
  readonly how: How;
  /** Version of Node.js. Default: the one that runs this script. */
  readonly node?: string;
  /** Bash commands that run before `exec "$NODE" "$@"`, or replace it. */
  readonly main?: string;
  readonly post?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** False: RUNNER_TEMP is not set. */
  readonly temp?: false;
  /** The service speaks TLS, and only the proxy in GOOD_PROXY knows its names. */
  readonly tls?: true;
  readonly prepare?: (place: Place) => Prepared | Promise<Prepared>;
  /** The promises that differ from those of `how`. */
  readonly must?: Partial<Must>;
}

/** `folder` is empty and accessible to every user. */
type Place = { readonly folder: string; readonly after: After };

interface Prepared {
  readonly env?: Readonly<Record<string, string>>;
  readonly files?: NonNullable<StepOptions['files']>;
  /** Called at the moment that `how` specifies, before the runner stops main. */
  readonly atMoment?: () => void;
}

type Settings = Omit<Row, 'environment' | 'how'>;

/** One row for each way of running the step. */
function rows(environment: string, hows: readonly How[], settings: Settings): Row[] {
  return hows.map((how) => ({ environment, how, ...settings }));
}

const BOTH = ['completes', 'killed'] as const;
const ALL = [...BOTH, 'cancelled'] as const;
const BESIDE_POST = ['alive', 'alive, key exchange in flight', 'alive, trigger in flight'] as const;
const LEFT_RUNNING = { must: { runs: 'running' } } as const;
const inBoth = (commands: string): Settings => ({ main: commands, post: commands });
const setUser = (id: number): string => `exec setpriv --reuid ${id} --regid ${id} --clear-groups`;
const asUser = (id: number): string => `${setUser(id)} "$NODE" "$@"`;
const withMount = (options: string, then = 'exec'): string =>
  `exec unshare --mount bash -c 'mount ${options} && ${then} "$@"' bash "$NODE" "$@"`;
const behind = (hidepid: number): string => withMount(`-t proc -o hidepid=${hidepid} proc /proc`, setUser(65_534));
const PID_NAMESPACE = 'exec unshare --pid --fork --kill-child --mount-proc "$NODE" "$@"';
const UNPRIVILEGED = asUser(65_534);

/** A tmpfs for the runner's files and the journal. */
function tmpfs(isFull: boolean): Settings {
  const prepare = ({ folder, after }: Place): Prepared => {
    const disk = join(folder, 'disk');
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=256k,X-mount.mkdir', 'tmpfs', disk]);
    after(() => void execFileSync('umount', ['--lazy', disk]));
    const fill = () => void spawnSync('dd', ['if=/dev/zero', `of=${disk}/filler`]);
    if (isFull) fill();
    const files = { state: `${disk}/state`, output: `${disk}/output`, summary: `${disk}/summary` };
    return { files, env: { RUNNER_TEMP: disk }, atMoment: fill };
  };
  return { prepare };
}
const READ_ONLY = withMount('-o remount,bind,ro "$(df --output=target "$GITHUB_OUTPUT" | tail -n 1)"');

type Route = (place: Place) => Promise<Record<string, string>>;

const SILENT = '127.0.0.99';
const nameServer =
  (address: string): Route =>
  async ({ folder, after }) => {
    const RESOLV_CONF = join(folder, 'resolv.conf');
    writeFileSync(RESOLV_CONF, `nameserver ${address}\n`);
    const socket = createSocket({ type: 'udp4', reuseAddr: true });
    if (address === SILENT) await once(socket.bind(53, address), 'listening');
    after(() => void socket.close());
    return { RESOLV_CONF };
  };
const BY_NAME = withMount('--bind "$RESOLV_CONF" /etc/resolv.conf');
const BY_PROXY = 'export https_proxy=$BAD_PROXY';
const NO_LOGIN: Route = async ({ after }) => ({
  BAD_PROXY: (await forwardProxy(after, 'robot', 'secret')).url.replace('robot:secret@', ''),
});
const HELD: Route = async ({ after }) => ({ BAD_PROXY: `http://127.0.0.1:${(await heldHost(after, true)).port}` });

/** Runs main or post in a broken network, while the other process uses a working proxy. */
function network(name: string, commands: string, route: Route, mainSettings: Settings = {}): Row[] {
  const prepare = async (place: Place): Promise<Prepared> => {
    const GOOD_PROXY = (await forwardProxy(place.after)).url;
    return { env: { GOOD_PROXY, ...(await route(place)) } };
  };
  const inMain = { tls: true, prepare, main: commands, ...mainSettings } as const;
  const inPost = { tls: true, prepare, main: 'export https_proxy=$GOOD_PROXY', post: commands } as const;
  const ofMain = rows(`main with a ${name}`, ['cancelled before its trigger'], inMain);
  return [...ofMain, ...rows(`post with a ${name}`, ['killed, post interrupted'], inPost)];
}

const STREAMS = Object.entries({ stdin: '<&-', stdout: '>&-', stderr: '2>&-', 'stream at all': '<&- >&- 2>&-' });
const NO_LOG = { ...inBoth('exec "$NODE" "$@" >/dev/full'), must: { says: /^post:$/m } };

/** The slowest rows come first. */
export const ROWS: readonly Row[] = [
  ...network('name server that refuses', BY_NAME, nameServer('127.0.0.98')),
  // Node.js waits for the lookup, which main cannot abort, before it exits. Main kills itself instead.
  ...network('name server that never answers', BY_NAME, nameServer(SILENT), { must: { main: 'SIGKILL' } }),
  ...network('dead proxy', BY_PROXY, () => Promise.resolve({ BAD_PROXY: 'http://127.0.0.1:9' })),
  ...network('proxy that answers 407', BY_PROXY, NO_LOGIN),
  ...network('proxy that never answers', BY_PROXY, HELD),
  ...rows('main in a PID namespace', BESIDE_POST, { main: PID_NAMESPACE }),
  ...rows('main and post in two PID namespaces', ['alive', 'killed'], inBoth(PID_NAMESPACE)),
  ...rows('hidepid=2, two users', [...BESIDE_POST, 'killed'], { main: asUser(1), post: behind(2) }),
  ...rows('hidepid=1, two users', [BESIDE_POST[1]], { main: asUser(1), post: behind(1) }),
  ...rows('no /proc', [...BOTH, ...BESIDE_POST], inBoth(withMount('-t tmpfs none /proc'))),
  ...rows('main as root, post unprivileged', [...BESIDE_POST, 'killed'], { post: UNPRIVILEGED }),
  // Only the journal's owner can read it.
  ...rows('main as root, post unprivileged', ['killed, state lost'], { post: UNPRIVILEGED, ...LEFT_RUNNING }),
  ...rows('main unprivileged, post as root', [...BESIDE_POST, 'killed', 'killed, state lost'], { main: UNPRIVILEGED }),
  ...rows('full tmpfs', ['is refused'], tmpfs(true)),
  ...rows('tmpfs that fills up after the trigger', ['killed', 'cancelled'], tmpfs(false)),
  ...rows('no RUNNER_TEMP', ALL, { temp: false }),
  ...rows('no RUNNER_TEMP', ['killed, state lost'], { temp: false, ...LEFT_RUNNING }),
  ...rows('read-only RUNNER_TEMP', ALL, inBoth(`chmod a-w "$RUNNER_TEMP" && ${UNPRIVILEGED}`)),
  ...rows('main on a read-only file system', ['is refused'], { main: READ_ONLY }),
  ...rows('post on a read-only file system', ['killed'], { post: READ_ONLY }),
  ...rows('deleted working folder', ALL, inBoth('cd "$(mktemp -d)" && rmdir "$PWD"')),
  ...['16.20.2', '18.20.8', '20.15.1'].flatMap((node) => {
    const must = { says: new RegExp(`needs Node.js 20\\.16.* Node.js ${node}`) };
    return rows(`Node ${node}`, ['is refused'], { node, must });
  }),
  ...['20.16.0', '20.20.2', '22.23.3', '24.21.0'].flatMap((node) => rows(`Node ${node}`, ALL, { node })),
  ...STREAMS.flatMap(([name, to]) => rows(`no ${name}`, ALL, inBoth(`exec "$NODE" "$@" ${to}`))),
  // The log is lost, so main triggers nothing.
  ...rows('stdout is /dev/full', ['is refused'], NO_LOG),
  ...rows('unknown locale and time zone', BOTH, { env: { LC_ALL: 'xx_XX.nothing', TZ: 'No/Where' } }),
  ...rows('Turkish, far in the east', BOTH, { env: { LC_ALL: 'tr_TR.UTF-8', TZ: 'Pacific/Kiritimati' } }),
  ...rows('umask 0777, not as root', ALL, inBoth(`umask 0777; ${UNPRIVILEGED}`)),
];
