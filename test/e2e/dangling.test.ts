import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import net, { type AddressInfo, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { useAction } from '../support/e2e.ts';
import { API_KEY, bootstrap, JOB, PIPELINE } from '../support/service.ts';

const action = useAction();

/** A server that answers, but lets go of no connection: not when it has answered, nor when the client has gone. */
async function clingingServer(answer: (path: string, method: string) => unknown) {
  const sockets: Socket[] = [];
  const server = net.createServer({ allowHalfOpen: true }, (socket) => {
    sockets.push(socket);
    let text = '';
    socket.on('error', () => undefined);
    socket.on('data', (bytes: Buffer) => {
      text += bytes.toString('latin1');
      const [, method = '', path = ''] = /^(\w+) (\S+) /.exec(text) ?? [];
      if (!text.includes('\r\n\r\n')) return;
      text = '';
      const body = answer(path, method);
      if (body === undefined) return;
      const json = JSON.stringify(body);
      socket.write(`HTTP/1.1 200 OK\r\nConnection: keep-alive\r\nContent-Length: ${json.length}\r\n\r\n${json}`);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, sockets };
}

interface Ended {
  readonly code: number | null;
  readonly outputs: string;
  readonly stdout: string;
}

async function runMain(
  url: string,
  onLine: (line: string, kill: () => void) => void = () => undefined,
): Promise<Ended> {
  const folder = mkdtempSync(join(tmpdir(), 'dangling-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const child = spawn(process.execPath, [join(action.folder, 'dist', 'main', 'index.js')], {
    env: {
      PATH: process.env['PATH'] ?? '',
      'INPUT_API-KEY': API_KEY,
      'INPUT_BASE-URL': url,
      INPUT_PIPELINE: PIPELINE,
      'INPUT_POLL-INTERVAL': '20ms',
      GITHUB_OUTPUT: join(folder, 'output'),
      GITHUB_STATE: join(folder, 'state'),
      RUNNER_TEMP: folder,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let stdout = '';
  child.stdout.on('data', (bytes: Buffer) => {
    stdout += String(bytes);
    onLine(stdout, () => child.kill('SIGINT'));
  });
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, outputs: readFileSync(join(folder, 'output'), 'utf8'), stdout };
}

const row = (job_status: string): object[] => [{ id: JOB, job_status, status_message: null }];

describe('a server that lets go of no connection', () => {
  it.each([
    ['and answers everything', true],
    ['and never answers what nobody waits for', false],
  ])('%s does not keep the process from ending', async (_what, isAnswered) => {
    let reads = 0;
    const { url, sockets } = await clingingServer((path, method) => {
      if (path.includes('bootstrap')) return bootstrap({ backend_url: url });
      // The name of a pipeline that was given by its UUID: looked up beside all else, for people to read.
      if (path.includes('pipelines_and_datasources')) return isAnswered ? [] : undefined;
      if (method === 'POST') return JOB;
      reads += 1;
      return row(reads > 3 ? 'completed' : 'running');
    });
    const ended = await runMain(url);
    expect(ended.outputs).toContain('outcome=succeeded');
    expect(ended.code).toBe(0);
    expect(sockets.length).toBeGreaterThan(5);
  });

  it('and never answers again does not keep a process from ending that was told to', async () => {
    const { url } = await clingingServer((path, method) => {
      if (path.includes('bootstrap')) return bootstrap({ backend_url: url });
      return method === 'POST' ? JOB : undefined;
    });
    const began = performance.now();
    let told: number | undefined;
    const ended = await runMain(url, (stdout, kill) => {
      if (told !== undefined || !stdout.includes('is queued')) return;
      told = performance.now() - began;
      kill();
    });
    expect(ended.code).toBe(1);
    expect(ended.outputs).toContain('outcome=cancelled');
    expect(ended.outputs).toContain(`job-id=${JOB}`);
    expect(performance.now() - began - (told ?? 0)).toBeLessThan(15_000);
  });
});
