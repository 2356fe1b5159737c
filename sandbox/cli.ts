/** `npm run sandbox`: serves a model of the service on a local port, for trying out the action by hand. */
import { parseArgs } from 'node:util';
import { DEMO_SPEED, WORKSPACE_ID } from './model/index.ts';
import { type RequestRecord, type Sandbox, startSandbox } from './server/index.ts';

const HELP = `A local sandbox of the service, for trying out the action.

  npm run sandbox -- [options]

  --port <number>    the port to listen on; 0 selects any free port (default 8787)
  --speed <number>   how many times faster runs proceed than in the real service (default ${DEMO_SPEED})
  --help             print this text

GET /_sandbox/state returns the runs, the requests and the violations as JSON.
`;

/** Slightly less than a second, because the printed command polls every second and timers may fire slightly early. */
const MIN_READ_INTERVAL_MS = 900;

async function main(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      port: { type: 'string', default: '8787' },
      speed: { type: 'string', default: String(DEMO_SPEED) },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    process.stdout.write(HELP);
    return;
  }
  const port = numberIn('port', values.port, 0, 65_535);
  const speed = numberIn('speed', values.speed, 1, 1_000_000);
  let reported = 0;
  const onEnd = ({ kind, nth, method, path, answeredStatus }: RequestRecord): void => {
    print(`${kind} ${nth}: ${method} ${path} -> ${answeredStatus ?? 'no response'}`);
    const { violations } = sandbox.world;
    for (const violation of violations.slice(reported)) print(`VIOLATION ${violation.kind}: ${violation.detail}`);
    reported = violations.length;
  };
  const model = { speed, minReadIntervalMs: MIN_READ_INTERVAL_MS };
  const sandbox = await startSandbox({ port, model, onEnd });
  console.log(welcome(sandbox));
  const stop = (): void => void sandbox.close();
  process.once('SIGINT', stop).once('SIGTERM', stop);
}

function numberIn(option: string, text: string, least: number, most: number): number {
  const number = Number(text);
  if (text !== '' && Number.isInteger(number) && number >= least && number <= most) return number;
  throw new Error(`--${option} must be a whole number from ${least} to ${most}, not "${text}"`);
}

/** Prints a line. Text from a request must not control the terminal. */
function print(line: string): void {
  console.log(line.replace(/[^\u0020-\u007e]/g, '?'));
}

/** Returns the URL, the pipelines and a Bash command, which uses `env` because Bash rejects names with hyphens. */
function welcome({ url, key, world }: Sandbox): string {
  const pipelines = world.pipelines.filter(({ workspaceId }) => workspaceId === WORKSPACE_ID);
  return `The sandbox is listening on ${url}
API key: ${key}

Pipelines (name, UUID, behavior of a run):
${pipelines.map(({ id, name, scenario }) => `  ${name.padEnd(10)} ${id}  ${world.scenarios[scenario]?.does ?? ''}`).join('\n')}

To run the action against it, enter these commands in another terminal, in this folder:

  T=$(mktemp -d) && touch $T/state $T/output $T/summary
  env 'INPUT_API-KEY=${key}' 'INPUT_BASE-URL=${url}' \\
    INPUT_PIPELINE=orders 'INPUT_POLL-INTERVAL=1s' \\
    GITHUB_STATE=$T/state GITHUB_OUTPUT=$T/output GITHUB_STEP_SUMMARY=$T/summary \\
    RUNNER_TEMP=$T node dist/main.js
  cat $T/output

Requests (Ctrl-C stops the sandbox):`;
}

try {
  await main(process.argv.slice(2));
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}
