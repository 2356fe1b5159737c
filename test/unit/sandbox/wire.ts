// Starts a sandbox on a port and opens connections on which a test reads and writes bytes.
import { connect, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import { answer, PIPELINE_IDS } from '../../../sandbox/model/index.ts';
import { type Sandbox, type SandboxOptions, startSandbox } from '../../../sandbox/server/index.ts';

/** Starts a sandbox that closes when the test finishes. */
export async function start(options: SandboxOptions = {}): Promise<Sandbox> {
  const sandbox = await startSandbox(options);
  onTestFinished(() => sandbox.close());
  return sandbox;
}

export function talk(sandbox: Sandbox, text: string) {
  const { hostname, port } = new URL(sandbox.url);
  const socket = connect(Number(port), hostname, () => socket.write(text));
  return listen(socket);
}

export function listen(socket: Socket) {
  let received = '';
  let outcome = 'end';
  let check = () => {};
  socket.on('data', (chunk) => {
    received += chunk.toString('latin1');
    check();
  });
  socket.on('error', (error: NodeJS.ErrnoException) => {
    outcome = error.code ?? error.message;
  });
  /** Resolves with `end` or an error code when the connection ends. */
  const ended = new Promise<string>((resolve) => socket.once('close', () => resolve(outcome)));
  /** Resolves with all received text once it contains `wanted`, or rejects if the connection ends first. */
  const until = (wanted: string) =>
    new Promise<string>((resolve, reject) => {
      check = () => {
        if (received.includes(wanted)) resolve(received);
      };
      check();
      void ended.then((how) => reject(new Error(`${how} after ${JSON.stringify(received)}`)));
    });
  return { socket, received: () => received, until, ended };
}

/** Returns a request whose token comes from an exchange without HTTP, so that no rule counts the exchange. */
export function requestText(sandbox: Sandbox, line: string, body = ''): string {
  const { world, key, now } = sandbox;
  const path = `${world.basePath}/api/cli/bootstrap`;
  const exchange = { method: 'POST', path, headers: { authorization: `Bearer ${key}` }, body: '' };
  const arrival = { kind: 'exchange', nth: 0, subjects: {} } as const;
  const { token } = JSON.parse(answer(world, exchange, now(), arrival).body) as { token: string };
  return [
    `${line} HTTP/1.1`,
    'host: sandbox',
    `authorization: Bearer ${token}`,
    `apikey: ${world.anonKey}`,
    'content-type: application/json',
    'prefer: return=representation',
    `content-length: ${String(Buffer.byteLength(body))}`,
    '',
    body,
  ].join('\r\n');
}

export function triggerText(sandbox: Sandbox): string {
  const body = JSON.stringify({ p_pipeline_id: PIPELINE_IDS.orders });
  return requestText(sandbox, 'POST /rest/v1/rpc/create_pipeline_run_job', body);
}

export function listText(sandbox: Sandbox): string {
  return requestText(sandbox, 'GET /rest/v1/pipelines_and_datasources?select=pipeline_id');
}

/** Sends a list request over a new connection and returns the HTTP status. */
export async function listStatus(sandbox: Sandbox): Promise<number> {
  const conversation = talk(sandbox, listText(sandbox));
  const { status } = split(await conversation.until('\r\n\r\n'));
  conversation.socket.destroy();
  return status;
}

/** Splits a response into its head and its body. */
export function split(answered: string): { readonly status: number; readonly head: string; readonly body: string } {
  const [head = '', ...rest] = answered.split('\r\n\r\n');
  return { status: Number(head.split(' ')[1]), head, body: rest.join('\r\n\r\n') };
}
