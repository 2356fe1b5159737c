import { X509Certificate } from 'node:crypto';
import { connect as connectTcp } from 'node:net';
import { connect, type TLSSocket } from 'node:tls';
import { afterEach, expect, it } from 'vitest';
import { type Rule, type Sandbox, selfSigned, startSandbox } from '../../../sandbox/server/index.ts';
import { LIST, requestText, split } from './raw.ts';

const open: Sandbox[] = [];
afterEach(async () => {
  for (const sandbox of open.splice(0)) await sandbox.close();
});

/** A list request over TLS that trusts nothing but the sandbox's own certificate. */
async function ask(...rules: Rule[]) {
  const tls = selfSigned();
  const sandbox = await startSandbox({ tls, rules });
  open.push(sandbox);
  const port = Number(new URL(sandbox.url).port);
  const socket: TLSSocket = connect({ port, host: '127.0.0.1', ca: tls.cert, servername: '' });
  let received = '';
  let outcome = 'end';
  let secured = false;
  socket.on('secureConnect', () => {
    secured = true;
    socket.write(requestText(sandbox, LIST).replace('host:', 'connection: close\r\nhost:'));
  });
  socket.on('data', (chunk: Buffer) => {
    received += chunk.toString();
  });
  socket.on('error', (error: NodeJS.ErrnoException) => {
    outcome = error.code ?? error.message;
  });
  const ended = new Promise<string>((resolve) => socket.once('close', () => resolve(outcome)));
  return { sandbox, socket, ended, received: () => received, secured: () => secured };
}

it('makes a certificate for this machine', () => {
  const certificate = new X509Certificate(selfSigned().cert);
  expect(certificate.checkHost('localhost')).toBe('localhost');
  expect([certificate.checkIP('127.0.0.1'), certificate.checkIP('::1')]).toEqual(['127.0.0.1', '::1']);
  expect(certificate.verify(certificate.publicKey)).toBe(true);
});

it('speaks https', async () => {
  const { sandbox, ended, received } = await ask();
  expect(await ended).toBe('end');
  expect([sandbox.url.startsWith('https://'), split(received()).status]).toEqual([true, 200]);
  expect(sandbox.requests[0]).toMatchObject({ connection: 1, reused: false });
});

it('resets the connection below TLS', async () => {
  const { ended, received, secured } = await ask({ kind: 'list', how: { do: 'reset', point: 'after-commit' } });
  expect([await ended, received(), secured()]).toEqual(['ECONNRESET', '', true]);
});

it('cuts the handshake', async () => {
  const { sandbox, ended, secured } = await ask({ kind: 'connection', how: { do: 'reset' } });
  expect([await ended, secured(), sandbox.requests]).toEqual(['ECONNRESET', false, []]);
});

it('never shakes hands', async () => {
  const { sandbox, socket, ended, secured } = await ask({ kind: 'connection', nth: 1, how: { do: 'mute' } });
  const other = connectTcp(Number(new URL(sandbox.url).port), '127.0.0.1', () => other.end('not TLS'));
  await new Promise((resolve) => other.resume().once('close', resolve));
  expect([secured(), sandbox.connections()]).toEqual([false, 2]);
  socket.destroy();
  await ended;
});
