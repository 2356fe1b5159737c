import { complaintAboutNode, refuse } from './early.js';
const complaint = complaintAboutNode();
process.exitCode = 1;
if (complaint !== undefined) refuse('run-pipeline/cancel', `${complaint} Nothing was cancelled.`);
else
  import('./index.js').then(
    ({ runCancel }) => runCancel(),
    (error) => refuse('run-pipeline/cancel', 'Nothing was cancelled. The action could not be loaded.', error),
  );
