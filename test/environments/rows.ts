// The environments in which `npm run environments` runs the bundles, and the promises that apply to each.
import { execFileSync, spawnSync } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { MODES, type Mode, type StepOptions, type StepProcess } from '../../sandbox/runner/index.ts';
import type { Rule, Sandbox } from '../../sandbox/server/index.ts';
import type { After } from '../support/e2e.ts';
import { forwardProxy, heldHost } from '../support/hosts.ts';

/** The promises of a row. `faultsIn` adds the promises that apply to all rows. */
interface Must {
  /** The exit code, or the signal that ends the process. */
  readonly main: number | string;
  readonly post: number | string;
  /** The accepted final statuses of the run (`a|b`), or empty if main must trigger nothing. */
  readonly runs: string;
  readonly shows?: RegExp;
}

export interface Way {
  readonly must: Must;
  readonly pipeline: 'orders' | 'endless';
  /** How the runner stops main. By default, main exits by itself. */
  readonly mode?: Mode;
  /** When the runner stops main. By default, this is after the first read of the status. */
  readonly moment?: (sandbox: Sandbox, main: StepProcess) => Promise<unknown>;
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
  'fails before its trigger': { pipeline: 'orders', must: { ...NOTHING, shows: /^Error: /m } },
  'is cancelled': STOPPED,
  'is cancelled before its trigger': { ...STOPPED, moment: (_, main) => main.line(/./), must: NOTHING },
  'is killed': KILLED,
  'is killed and loses its state': { ...KILLED, mode: { ...KILLED.mode, post: 'state lost' } },
  'is killed before post is interrupted': { ...KILLED, must: LEFT },
  'runs in parallel with post': ALIVE,
  'runs in parallel with post during its key exchange': held('exchange', NOTHING),
  'runs in parallel with post during its trigger': held('trigger', { ...CANCELLED, runs: 'cancelled|running' }),
} as const satisfies Record<string, Way>;

type How = keyof typeof WAYS;

export interface Row {
  readonly environment: string;
  readonly how: How;
  /** The version of Node.js. By default, this is the version that runs the tests. */
  readonly node?: string;
  /** Bash commands that run before `exec "$NODE" "$@"`, or replace it. */
  readonly main?: string;
  readonly post?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** `false` if RUNNER_TEMP is not set. */
  readonly temp?: false;
  /** The service uses TLS, and only the proxy in GOOD_PROXY can resolve its host names. */
  readonly tls?: true;
  readonly prepare?: (place: Place) => Prepared | Promise<Prepared>;
  /** The promises that differ from those of `how`. */
  readonly must?: Partial<Must>;
}

/** The surroundings of a row. The folder is empty, and every user can access it. */
type Place = { readonly folder: string; readonly after: After };

interface Prepared {
  readonly env?: Readonly<Record<string, string>>;
  readonly files?: NonNullable<StepOptions['files']>;
  /** Called at the moment that `how` specifies, before the runner stops main. */
  readonly atMoment?: () => void;
}

type Settings = Omit<Row, 'environment' | 'how'>;

/** Creates one row for each way of running the step. */
function rows(environment: string, hows: readonly How[], settings: Settings): Row[] {
  return hows.map((how) => ({ environment, how, ...settings }));
}

const BOTH = ['completes', 'is killed'] as const;
const ALL = [...BOTH, 'is cancelled'] as const;
const BESIDE_POST = [
  'runs in parallel with post',
  'runs in parallel with post during its key exchange',
  'runs in parallel with post during its trigger',
] as const;
const LOSES_STATE = 'is killed and loses its state';
const LEFT_RUNNING = { must: { runs: 'running' } } as const;
const inBoth = (commands: string): Settings => ({ main: commands, post: commands });
const withMount = (options: string): string =>
  `exec unshare --mount bash -c 'mount ${options} && exec "$@"' bash "$NODE" "$@"`;
const UNPRIVILEGED = 'exec setpriv --reuid 65534 --regid 65534 --clear-groups "$NODE" "$@"';

/** Mounts a tmpfs for the runner's files and the journal. */
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
  const ofMain = rows(`main behind a ${name}`, ['is cancelled before its trigger'], inMain);
  return [...ofMain, ...rows(`post behind a ${name}`, ['is killed before post is interrupted'], inPost)];
}

const STREAMS = Object.entries({ stdin: '<&-', stdout: '>&-', stderr: '2>&-', 'standard stream': '<&- >&- 2>&-' });
const NO_LOG = { ...inBoth('exec "$NODE" "$@" >/dev/full'), must: { shows: /^post:$/m } };

/** The slowest rows come first. */
export const ROWS: readonly Row[] = [
  ...network('name server that refuses connections', BY_NAME, nameServer('127.0.0.98')),
  // Node.js waits for the lookup, which main cannot abort, before it exits. Main kills itself instead.
  ...network('name server that never responds', BY_NAME, nameServer(SILENT), { must: { main: 'SIGKILL' } }),
  ...network('dead proxy', BY_PROXY, () => Promise.resolve({ BAD_PROXY: 'http://127.0.0.1:9' })),
  ...network('proxy that responds with 407', BY_PROXY, NO_LOGIN),
  ...network('proxy that never responds', BY_PROXY, HELD),
  ...rows('no /proc', [...BOTH, ...BESIDE_POST], inBoth(withMount('-t tmpfs none /proc'))),
  ...rows('a full tmpfs', ['fails before its trigger'], tmpfs(true)),
  ...rows('a tmpfs that fills up after the trigger', ['is killed', 'is cancelled'], tmpfs(false)),
  ...rows('no RUNNER_TEMP', ALL, { temp: false }),
  ...rows('no RUNNER_TEMP', [LOSES_STATE], { temp: false, ...LEFT_RUNNING }),
  ...rows('a read-only RUNNER_TEMP', ALL, inBoth(`chmod a-w "$RUNNER_TEMP" && ${UNPRIVILEGED}`)),
  ...rows('main on a read-only file system', ['fails before its trigger'], { main: READ_ONLY }),
  ...rows('post on a read-only file system', ['is killed'], { post: READ_ONLY }),
  ...rows('a deleted working folder', ALL, inBoth('cd "$(mktemp -d)" && rmdir "$PWD"')),
  ...['16.20.2', '18.20.8', '20.15.1'].flatMap((node) => {
    const must = { shows: new RegExp(`20\\.16.*${node}`) };
    return rows(`Node.js ${node}`, ['fails before its trigger'], { node, must });
  }),
  ...['20.16.0', '20.20.2', '22.23.3', '24.21.0'].flatMap((node) => rows(`Node.js ${node}`, ALL, { node })),
  ...STREAMS.flatMap(([name, to]) => rows(`no ${name}`, ALL, inBoth(`exec "$NODE" "$@" ${to}`))),
  // The log is lost, so main triggers nothing.
  ...rows('stdout on /dev/full', ['fails before its trigger'], NO_LOG),
  ...rows('an unknown locale and time zone', BOTH, { env: { LC_ALL: 'xx_XX.nothing', TZ: 'No/Where' } }),
  ...rows('a Turkish locale and the easternmost time zone', BOTH, {
    env: { LC_ALL: 'tr_TR.UTF-8', TZ: 'Pacific/Kiritimati' },
  }),
  ...rows('umask 0777 and no root privileges', ALL, inBoth(`umask 0777; ${UNPRIVILEGED}`)),
];
