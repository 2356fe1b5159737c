import { describe, expect, it } from 'vitest';
import { answers } from '../../../support/scripted-wire.ts';
import { uuid } from '../../../support/service.ts';
import { playStep, STEP_FILES } from '../../../support/step.ts';

const IDS = [1, 2].map((nth) => uuid(`00000000-0000-4000-8000-00000000000${nth}`));

describe('a step that is stopped', () => {
  it('writes the ids of its runs at that moment, because a runner may read the outputs soon', async () => {
    let written: string | undefined;
    await playStep({
      inputs: { pipeline: IDS.join('\n') },
      scripts: { trigger: (nth) => answers(200, JSON.stringify(IDS[nth - 1])), cancel: () => [] },
      interruptAtMs: 300,
      watch: ({ clock, files }) => {
        clock.after(301, () => {
          written = files.text(STEP_FILES.output);
        });
      },
    });
    expect(written).toContain(IDS.join('\n'));
  });

  it('fails if that happens after its last run has finished', async () => {
    const played = await playStep({ statuses: ['completed'], interruptAt: /queued → completed/ });
    expect(played.outputs['job-status']).toBe('completed');
    expect(played.exitCode).toBe(1);
  });
});
