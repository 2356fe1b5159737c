// The end of the log of a failed run, as Troubleshooting shows it.
import { answers } from '../support/scripted-wire.ts';
import { bootstrap, JOB } from '../support/service.ts';
import { playStep } from '../support/step.ts';

/** The id of the run that the documents show. */
export const SHOWN_ID = '6f1c2b9e-3d84-4a57-9c1f-0e5b7a2d4c86';

const SAID: Readonly<Record<string, string>> = {
  running: 'Connecting to the source',
  failed: 'Load failed: permission denied for schema "analytics"',
};

/** The last six lines of the log of a run that fails after a few minutes, as GitHub shows them. */
export async function failureLog(): Promise<string> {
  const statuses = ['queued', ...Array.from({ length: 10 }, () => 'running'), 'failed'];
  const { lines, annotations } = await playStep({
    inputs: { 'base-url': 'https://app.example.com', pipeline: 'orders', timeout: '45m' },
    statuses,
    scripts: {
      exchange: () => answers(200, bootstrap({ backend_url: 'https://api.example.com' })),
      read: (nth) => {
        const status = statuses[nth - 1] ?? 'failed';
        return answers(200, [{ id: JOB, job_status: status, status_message: SAID[status] ?? null }]);
      },
    },
  });
  const errors = annotations.map(({ level, message }) => {
    const [first = '', ...rest] = message.split('\n');
    return [`${level === 'error' ? 'Error' : level}: ${first}`, ...rest].join('\n');
  });
  const shown = [...lines, ...errors].join('\n').split('\n').slice(-6);
  return `${shown.join('\n').replaceAll(JOB, SHOWN_ID)}\n`;
}
