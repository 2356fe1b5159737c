import { networkInterfaces } from 'node:os';
import { afterEach, expect, it } from 'vitest';
import { type Sandbox, type SandboxOptions, startSandbox } from '../../../sandbox/server/index.ts';
import { LIST, requestText, split, talk } from './raw.ts';

const open: Sandbox[] = [];
afterEach(async () => {
  for (const sandbox of open.splice(0)) await sandbox.close();
});

async function start(options: SandboxOptions = {}): Promise<Sandbox> {
  const sandbox = await startSandbox(options);
  open.push(sandbox);
  return sandbox;
}

it('numbers connections, and sees which are used again', async () => {
  const sandbox = await start();
  const text = requestText(sandbox, LIST);
  const first = talk(sandbox, text);
  await sandbox.end('list');
  first.socket.write(text);
  await sandbox.end('list', 2);
  talk(sandbox, text);
  await sandbox.end('list', 3);
  const seen = sandbox.requests.map(({ connection, reused }) => [connection, reused]);
  expect([seen, sandbox.connections()]).toEqual([
    [
      [1, false],
      [1, true],
      [2, false],
    ],
    2,
  ]);
});

it('closes idle connections after the time it was given', async () => {
  const sandbox = await start({ keepAliveMs: 1 });
  const conversation = talk(sandbox, requestText(sandbox, LIST));
  expect(await conversation.ended).toBe('end');
  expect(split(conversation.received()).status).toBe(200);
});

// Containers often have no IPv6 at all.
const hasIpv6 = Object.values(networkInterfaces()).some((all) => all?.some(({ address }) => address === '::1'));

it.runIf(hasIpv6)('listens on ::1 too, if told to', async () => {
  const sandbox = await start({ ipv6: true });
  const conversation = talk(sandbox, requestText(sandbox, LIST), sandbox.url6 ?? '');
  expect(split(await conversation.until(']')).status).toBe(200);
  expect((await start()).url6).toBeNull();
});

it('goes away and comes back on the same port', async () => {
  const sandbox = await start();
  const text = requestText(sandbox, LIST);
  const before = talk(sandbox, text);
  await sandbox.end('list');
  await sandbox.away();
  await before.ended;
  expect(await talk(sandbox, text).ended).toBe('ECONNREFUSED');
  await sandbox.back();
  expect(split(await talk(sandbox, text).until(']')).status).toBe(200);
});
