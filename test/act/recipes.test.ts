import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { playRecipe } from './recipe.ts';

/** What the script of the last job prints here. */
const DEPLOYED = './deploy.sh production';

describe.concurrent('a recipe under act', () => {
  it.each([
    ['orders', true],
    ['customers', false],
    ['idle', false],
    ['broken', false],
  ])('Release gate: a load of %s promotes: %s', async (pipeline, promotes) => {
    const { exitCode, log, runs } = await playRecipe('Release gate', { pipelines: { orders_staging: pipeline } });
    expect(exitCode === 0, log).toBe(promotes);
    expect(log.split('\n').includes(DEPLOYED)).toBe(promotes);
    expect(runs).toHaveLength(1);
  });

  it('Stages: the reports wait for every source', async () => {
    const { log, statuses, printed } = await playRecipe('Stages', {
      pipelines: { orders_daily: 'orders', customers_daily: 'broken', payments_daily: 'idle' },
    });
    expect([...statuses].sort(), log).toEqual(['broken: failed', 'idle: skipped', 'orders: completed']);
    expect(printed('Name the sources that failed')).toMatch(/^Run \S+ of Broken failed after .*\n$/);
  });

  it('And cancel the load when a test fails: it is cancelled', async () => {
    const { exitCode, statuses, log } = await playRecipe('And cancel the load when a test fails', {
      pipelines: { orders_test: 'endless' },
      scripts: { './test.sh unit': 'exit 1' },
    });
    expect(exitCode).not.toBe(0);
    expect(statuses, log).toEqual(['endless: cancelled']);
  });

  it('Two jobs and a clean-up: one triggers, another waits', async () => {
    const { exitCode, statuses, log } = await playRecipe('Two jobs and a clean-up', {
      pipelines: { orders_test: 'orders' },
    });
    expect(exitCode, log).toBe(0);
    expect(statuses).toEqual(['orders: completed']);
    expect(log).not.toContain('before it could be cancelled');
  });

  it('Two jobs and a clean-up: a build that fails leaves no run behind', async () => {
    const { exitCode, statuses, log } = await playRecipe('Two jobs and a clean-up', {
      pipelines: { orders_test: 'endless' },
      scripts: { './build.sh': 'exit 1' },
    });
    expect(exitCode).not.toBe(0);
    expect(statuses, log).toEqual(['endless: cancelled']);
  });

  it('Resume: the run of the first job is taken', async () => {
    const { exitCode, statuses, log } = await playRecipe('Resume', { pipelines: { orders_daily: 'orders' } });
    expect(exitCode, log).toBe(0);
    expect(statuses).toEqual(['orders: completed']);
  });

  it('Resume: a run that cannot be read keeps all others from being triggered', async () => {
    const { exitCode, runs, log } = await playRecipe('Resume', {
      pipelines: { orders_daily: 'orders' },
      vars: { job_id: '00000000-0000-4000-8000-000000000000' },
    });
    expect(exitCode).not.toBe(0);
    expect(runs).toEqual([]);
    expect(log).toContain('It may be in progress, so no other one was triggered.');
  });

  it('Notify: the message reaches the chat as text', async () => {
    const bodies: string[] = [];
    const server = createServer((request, response) => {
      request.setEncoding('utf8').on('data', (chunk: string) => bodies.push(chunk));
      request.on('end', () => response.end());
    });
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    try {
      const { port } = server.address() as AddressInfo;
      const { log } = await playRecipe('Notify', {
        pipelines: { orders_daily: 'broken' },
        vars: { CHAT_WEBHOOK: `http://127.0.0.1:${port}/` },
      });
      expect(bodies, log).toHaveLength(1);
      const { text } = JSON.parse(bodies.join('')) as { readonly text: string };
      expect(text).toMatch(/^Run \S+ of Broken failed after .*permission denied.* https:\/\/\S+\/actions\/runs\/\d+$/);
    } finally {
      server.close();
    }
  });

  it('Longer than six hours: the second job goes on waiting for the same run', async () => {
    const { exitCode, statuses, log } = await playRecipe('Longer than six hours', {
      pipelines: { history: 'slow' },
      instead: { 'timeout: 5h45m\n          on-timeout: leave': 'timeout: 100ms\n          on-timeout: leave' },
      service: { model: { speed: 300 } },
    });
    expect(exitCode, log).toBe(0);
    expect(statuses).toEqual(['slow: completed']);
  });

  it.each([
    ['orders', 0],
    ['broken', 1],
  ])('Longer than six hours: a run of %s that ends in time needs no second job', async (history, code) => {
    const { exitCode, runs, log } = await playRecipe('Longer than six hours', { pipelines: { history } });
    expect(exitCode, log).toBe(code);
    expect(runs).toHaveLength(1);
  });
});
