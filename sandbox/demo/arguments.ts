import { parseArgs } from 'node:util';
import { SCENARIOS } from '../model/index.ts';

const PIPELINES = Object.entries(SCENARIOS).map(([name, { does }]) => `    ${name.padEnd(10)} ${does}\n`);

export const HELP = `Runs a step with this action, as a GitHub runner would, against a local sandbox of the service.

  npm run demo -- [options]

  --pipeline <name>      the pipeline to run (default orders); for several: $'orders\\ncustomers'
${PIPELINES.join('')}
  --cancel-after <time>  cancel the workflow after this time, such as 2s; Ctrl-C cancels it as well
  --on-cancel <policy>   whether to cancel the run in that case: cancel (default) or leave
  --max-attempts <n>     the maximum number of attempts, one second apart
  --timeout <time>       the input timeout, such as 1s
  --wait <boolean>       the input wait; with false, the step does not wait for the run
  --debug                enable debug logging, with one line per request
  --help                 print this text

The exit code is that of the step.
`;

export interface DemoArguments {
  readonly help: boolean;
  readonly debug: boolean;
  /** The delay in milliseconds before the cancellation, or undefined to never cancel the workflow. */
  readonly cancelAfterMs: number | undefined;
  /** The inputs that the options set. */
  readonly inputs: Readonly<Record<string, string>>;
}

/** Parses the command line. @throws an `Error` that names the wrong option */
export function parseDemoArguments(args: readonly string[]): DemoArguments {
  const { values } = parsed(args);
  const { pipeline, timeout, wait, 'max-attempts': attempts, 'on-cancel': onCancel } = values;
  const after = values['cancel-after'];
  return {
    help: values.help,
    debug: values.debug,
    cancelAfterMs: after === undefined ? undefined : milliseconds(after),
    inputs: {
      pipeline,
      ...(wait !== undefined && { wait }),
      ...(timeout !== undefined && { timeout }),
      ...(attempts !== undefined && { 'max-attempts': attempts }),
      ...(attempts !== undefined && wait !== 'false' && { 'retry-delay': '1s' }),
      ...(onCancel !== undefined && { 'on-cancel': onCancel }),
    },
  };
}

function parsed(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        pipeline: { type: 'string', default: 'orders' },
        'cancel-after': { type: 'string' },
        'max-attempts': { type: 'string' },
        'on-cancel': { type: 'string' },
        timeout: { type: 'string' },
        wait: { type: 'string' },
        debug: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    });
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new Error(`${why}\nTo see all options: npm run demo -- --help`, { cause: error });
  }
}

function milliseconds(text: string): number {
  const [, number, unit] = /^(\d+(?:\.\d+)?)(ms|s)$/.exec(text) ?? [];
  if (number === undefined) throw new Error(`--cancel-after is "${text}", not a time such as 2s or 500ms`);
  return Number(number) * (unit === 's' ? 1_000 : 1);
}
