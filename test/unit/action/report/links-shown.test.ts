import { describe, expect, it } from 'vitest';
import { JOB } from '../../../support/service.ts';
import { playStep, STEP_FILES } from '../../../support/step.ts';

const inputs = { 'run-url': 'https://app.example.test/runs/{job-id}' };
const LINK = `https://app.example.test/runs/${JOB}`;

describe('the link to a run', () => {
  it('is in the log the moment the id is known, and behind the end of a run that went well', async () => {
    const { lines, annotations } = await playStep({ inputs });
    expect(lines).toContain(`[0s] Orders: run ${JOB} is queued: ${LINK}`);
    expect(lines.at(-1)).toMatch(new RegExp(`^Run ${JOB} of Orders completed after .*\\. ${LINK}$`));
    expect(annotations).toEqual([]);
  });

  it('is the last line of an annotation, and in the summary', async () => {
    const { annotations, files } = await playStep({ inputs, statuses: ['failed'] });
    expect(annotations.map(({ message }) => message.split('\n').at(-1))).toEqual([LINK]);
    expect(annotations[0]?.message).toMatch(new RegExp(`^Run ${JOB} of Orders failed after .*\\.\n`));
    expect(files.read(STEP_FILES.summary)).toContain(`[\`${JOB}\`](${LINK})`);
  });

  it('is in the log of a run that was there before', async () => {
    const { lines } = await playStep({ inputs: { ...inputs, pipeline: '', 'job-id': JOB } });
    expect(lines).toContain(`[0s] ${JOB}: is awaited: ${LINK}`);
  });

  it('is nowhere when none was asked for', async () => {
    const { lines, annotations, files } = await playStep({ statuses: ['failed'] });
    const all = [...lines, ...annotations.map(({ message }) => message), files.read(STEP_FILES.summary)];
    expect(all.join('\n')).not.toMatch(/runs\/|undefined/);
  });
});
