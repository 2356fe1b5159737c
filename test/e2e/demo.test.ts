import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';

const demo = join(import.meta.dirname, '..', '..', 'sandbox', 'demo.ts');

async function show(...args: readonly string[]) {
  const child = spawn(process.execPath, [demo, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  const exit = new Promise<number | null>((resolve) => child.once('close', resolve));
  const [shown, complaint, exitCode] = await Promise.all([text(child.stdout), text(child.stderr), exit]);
  return { shown, complaint, exitCode };
}

describe.concurrent('the demo', () => {
  it('shows a step from the outside: log, post, outputs, summary, and what the service saw', async () => {
    const { shown, complaint, exitCode } = await show('--pipeline', 'idle');
    expect({ complaint, exitCode }).toEqual({ complaint: '', exitCode: 0 });
    expect(shown).toMatch(/uses: run-pipeline.*Log of the step.*skipped/s);
    expect(shown).toMatch(/Log of the post step.*nothing/s);
    expect(shown).toMatch(/outcome +succeeded/);
    expect(shown).toMatch(/Job summary.*\| Idle \|/s);
    expect(shown).toMatch(/1 run queued: \S+ is skipped; in progress: none\n$/);
    expect(shown).not.toMatch(/ak_|::add-mask|\p{Cc}(?<!\n)/u);
  });

  it('shows a workflow that is cancelled, with no run left behind', async () => {
    const { shown, exitCode } = await show('--pipeline', 'endless', '--cancel-after', '2s');
    expect(exitCode).toBe(1);
    expect(shown).toMatch(/The workflow is cancelled.*Step interrupted \(SIGINT\).*was cancelled/s);
    expect(shown).toMatch(/is cancelled; in progress: none\n$/);
  });

  it('ends as the step does', async () => {
    const { shown, exitCode } = await show('--pipeline', 'penniless');
    expect(exitCode).toBe(1);
    expect(shown).toContain('0 runs queued; in progress: none');
  });

  it('explains itself, and what it does not understand', async () => {
    const help = await show('--help');
    expect(help).toMatchObject({ exitCode: 0, complaint: '' });
    expect(help.shown).toContain('npm run demo');
    const wrong = await show('--cancel-after', 'soon');
    expect(wrong).toMatchObject({ exitCode: 1, shown: '' });
    expect(wrong.complaint).toContain('--cancel-after is "soon"');
  });
});
