import { connect, type Socket } from 'node:net';
import { answer } from '../../../sandbox/model/index.ts';
import type { Sandbox } from '../../../sandbox/server/index.ts';

/** A connection with nothing between the test and the bytes. */
export interface Conversation {
  readonly socket: Socket;
  readonly received: () => string;
  /** All that was received, once this text is in it; rejects if the connection ends before. */
  readonly until: (text: string) => Promise<string>;
  /** How the connection ended: `end`, or the code of the error. */
  readonly ended: Promise<string>;
}

/** Connects and says something. */
export function talk(sandbox: Sandbox, text: string, address: string = sandbox.url): Conversation {
  const { hostname, port } = new URL(address);
  const socket = connect(Number(port), hostname.replace(/^\[|\]$/g, ''), () => socket.write(text));
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
  const ended = new Promise<string>((resolve) => socket.once('close', () => resolve(outcome)));
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

/** A request with a token that was got without the wire, so that it counts for no rule. */
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

export function triggerText(sandbox: Sandbox, pipelineId: string): string {
  const body = JSON.stringify({ p_pipeline_id: pipelineId });
  return requestText(sandbox, 'POST /rest/v1/rpc/create_pipeline_run_job', body);
}

export const LIST = 'GET /rest/v1/pipelines_and_datasources?select=pipeline_id';

/** Head and body of a raw answer. */
export function split(answered: string): { readonly status: number; readonly head: string; readonly body: string } {
  const [head = '', ...rest] = answered.split('\r\n\r\n');
  return { status: Number(head.split(' ')[1]), head, body: rest.join('\r\n\r\n') };
}
