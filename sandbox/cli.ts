/** `npm run sandbox`: runs a model of the service on a local port, for trying out the action by hand. */
import { HELP, parseArguments } from './cli/arguments.ts';
import { requestLine, violationLine } from './cli/log.ts';
import { welcome } from './cli/welcome.ts';
import { type RequestRecord, startSandbox } from './server/index.ts';

/** The printed command polls every second, but a timer may fire slightly early. */
const MIN_READ_INTERVAL_MS = 900;

async function main(args: readonly string[]): Promise<void> {
  const { help, port, speed, prefix, admin } = parseArguments(args);
  if (help) {
    process.stdout.write(HELP);
    return;
  }
  let reported = 0;
  const onEnd = (record: RequestRecord) => {
    console.log(requestLine(record));
    for (const violation of sandbox.world.violations.slice(reported)) console.log(violationLine(violation));
    reported = sandbox.world.violations.length;
  };
  const model = { speed, minReadIntervalMs: MIN_READ_INTERVAL_MS };
  const sandbox = await startSandbox({ port, prefix, admin, model, onEnd });
  console.log(welcome(sandbox));
  const stop = () => void sandbox.close();
  process.once('SIGINT', stop);
  process.once('SIGTERM', stop);
}

try {
  await main(process.argv.slice(2));
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}
