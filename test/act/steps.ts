// Plays a recipe that act cannot run.
import { spawn } from 'node:child_process';
import { delimiter } from 'node:path';
import { Job } from '../../sandbox/runner/index.ts';
import { folderOf } from '../docs/recipes.ts';
import type { Line } from './act.ts';
import type { Attempt, Stage } from './case.ts';

/** Plays a job with background steps, which act does not support, step by step like a runner. */
export async function playSteps({ workflow, scene, sandbox, folder, env, programs }: Stage): Promise<Attempt> {
  const [[name, { steps = [] }] = ['', {}]] = Object.entries(workflow.jobs);
  const job = new Job({ action: folder, name });
  const lines: Line[] = [];
  let result = 'success';
  let wasCancelled = false;
  try {
    const [load] = steps.flatMap((step) => {
      if (folderOf(step) === undefined) return [];
      const inputs = { ...step.with, 'api-key': sandbox.key, 'poll-interval': '100ms' };
      return job.step({ with: inputs, id: step.id ?? '', onLine: (msg) => void lines.push({ msg }) });
    });
    const main = load?.startMain();
    if (scene.cancelAfterReads !== undefined) {
      void sandbox.end('read', scene.cancelAfterReads).then(() => {
        wasCancelled = true;
        job.status = 'cancelled';
        main?.process.cancel();
      });
    }
    for (const { run, wait } of steps) {
      // A wait happens even if a step failed, because it has no condition.
      if (wait !== undefined && (await main?.ended)?.exitCode !== 0) result = 'failure';
      if (run !== undefined && result === 'success' && !wasCancelled && !(await runs(run))) result = 'failure';
    }
    if (result === 'failure' && !wasCancelled) job.status = 'failure';
    await load?.startPost(main?.collect().state ?? {})?.ended;
    lines.push(...[...job.masks].map((arg) => ({ msg: '', command: 'add-mask', arg })));
  } finally {
    await job.close();
  }
  const results = { [name]: wasCancelled ? 'cancelled' : result };
  return { ran: results, results, outputs: {}, lines };

  function runs(script: string): Promise<boolean> {
    const path = [programs, process.env['PATH'] ?? ''].join(delimiter);
    const child = spawn('bash', ['-e', '-c', script], { cwd: folder, env: { ...env, PATH: path }, stdio: 'ignore' });
    return new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('close', (exitCode) => resolve(exitCode === 0));
    });
  }
}
