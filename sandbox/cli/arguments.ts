import { parseArgs } from 'node:util';
import { DEMO_SPEED } from '../model/index.ts';

export const DEFAULT_PORT = 8787;

export const HELP = `A local sandbox of the service, for trying out the action.

  npm run sandbox -- [options]

  --port <number>    the port to listen on; 0 selects any free port (default ${String(DEFAULT_PORT)})
  --speed <number>   how many times faster runs proceed than in the real service (default ${String(DEMO_SPEED)})
  --prefix <path>    a path prefix for the token exchange, such as /eu (default none)
  --admin            serve /_sandbox/: GET state; POST rules, revoke, expire, release; DELETE rules
  --help             print this text
`;

export interface Arguments {
  readonly help: boolean;
  readonly port: number;
  readonly speed: number;
  readonly prefix: string;
  readonly admin: boolean;
}

/** Parses the command line. @throws an `Error` that names the invalid option */
export function parseArguments(args: readonly string[]): Arguments {
  const { values } = parseArgs({
    args: [...args],
    options: {
      port: { type: 'string', default: String(DEFAULT_PORT) },
      speed: { type: 'string', default: String(DEMO_SPEED) },
      prefix: { type: 'string', default: '' },
      admin: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  const port = Number(values.port);
  if (!Number.isInteger(port) || port < 0 || port > 65_535 || values.port === '') {
    throw new Error(`--port is "${values.port}", not a number from 0 to 65535`);
  }
  const speed = Number(values.speed);
  if (!(speed > 0 && Number.isFinite(speed))) {
    throw new Error(`--speed is "${values.speed}", not a number above 0`);
  }
  if (!/^(\/[\w.-]+)*$/.test(values.prefix)) {
    throw new Error(`--prefix is "${values.prefix}", not a path such as /eu`);
  }
  return { help: values.help, port, speed, prefix: values.prefix, admin: values.admin };
}
