import { PIPELINE_IDS } from '../../../sandbox/model/index.ts';
import type { Found } from '../observe.ts';
import { alike, type Difference, QUEUED, queues } from './difference.ts';

const WHOLE_ROW = `200 [${wholeRow('"queued"', 'null')}]`;

/** What the other service cancels although the sandbox refuses to. */
const cancels = (refusal: string, ...names: readonly string[]): Found => ({
  answer: [refusal, `200 [${names.map(cancelled).join(',')}]`],
  effect: [[], names.map((name) => `${name} cancelled of ${PIPELINE_IDS.orders}`)],
});
function cancelled(name: string): string {
  return `{"id":"${name}","job_status":"cancelled","status_message":"..."}`;
}

function wholeRow(status: string, message: string, id = status): string {
  const shown = `"job_status":${status},"status_message":${message}`;
  const others = '"full_resync":"...","reset_target":"...","created_at":"..."';
  return `{"id":${id},"workspace_id":"...","pipeline_id":"${PIPELINE_IDS.orders}",${shown},${others}}`;
}

/** Where the sandbox is stricter, or holds less, on purpose. */
export const strict: readonly Difference[] = [
  {
    why: 'A PATCH that could hit a finished job, or all jobs, is refused and noted: no right client sends one.',
    cases: {
      'cancel: without the precondition': cancels('400 21000', 'running'),
      'cancel: without the precondition, a finished job': cancels('400 21000', 'finished'),
      'cancel: with half of the precondition': cancels('400 21000', 'queued'),
      'cancel: with an empty precondition': { answer: ['400 21000', '200 []'] },
      'cancel: every job': cancels('400 21000', 'running', 'picked', 'queued'),
    },
  },
  {
    why: 'The sandbox speaks what the interface names of PostgREST, and refuses and notes the rest.',
    cases: {
      'read: an operator of PostgREST that is not in the interface': { answer: ['400 PGRST100', QUEUED] },
      ...alike(['read: an order', 'read: a limit'], { answer: ['400 42703', QUEUED] }),
      'read: a field under another name': { answer: ['400 42703', '200 [{"name":"..."}]'] },
      'trigger: a form': queues('400 PGRST102'),
      'cancel: a list': cancels('400 PGRST102', 'running'),
    },
  },
  {
    why: 'Fields that the interface does not show are not there: a client that counts on one finds out.',
    cases: {
      'read: a field that the interface does not show': {
        answer: ['400 42703', `200 [{"id":"queued","pipeline_id":"${PIPELINE_IDS.orders}"}]`],
      },
      ...alike(['read: all fields', 'read: no select', 'read: an empty select'], { answer: [QUEUED, WHOLE_ROW] }),
      'cancel: no select': {
        answer: [`200 [${cancelled('running')}]`, `200 [${wholeRow('"cancelled"', '"..."', '"running"')}]`],
      },
    },
  },
  {
    why: [
      'In the sandbox a revoked key takes its tokens along: that is the hardest way for it to take effect at once.',
      'The other service looks at the signature and the time of a token alone.',
    ].join(' '),
    cases: {
      'read: with the token of a key that was revoked': {
        answer: [
          '401 PGRST301',
          '200 [{"id":"running","job_status":"running","status_message":"Loading: 3 of 5 objects"}]',
        ],
      },
      'list: with the token of a key that was revoked': {
        answer: ['401 PGRST301', '200 [{"pipeline_name":"Orders"}]'],
      },
      'trigger: with the token of a key that was revoked': queues('401 PGRST301'),
      'cancel: with the token of a key that was revoked': cancels('401 PGRST301', 'running'),
    },
  },
  {
    why: [
      'Methods that the interface does not name are not there in the sandbox.',
      'In the other service nobody may use them.',
    ].join(' '),
    cases: {
      ...alike(['elsewhere: a job deleted', 'elsewhere: a job made by hand'], {
        answer: ['405 PGRST117', '403 42501'],
      }),
      'elsewhere: a pipeline renamed': { answer: ['405 PGRST117', '500 55000'] },
      'trigger: by GET': { answer: ['405 PGRST117', '405 25006'] },
    },
  },
];
