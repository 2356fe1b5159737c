import { complaintAboutNode, refuse } from './early.js';
const complaint = complaintAboutNode();
process.exitCode = 1;
if (complaint !== undefined) refuse('run-pipeline', `${complaint} Nothing was triggered.`);
else
  import('./index.js').then(
    ({ runMain }) => runMain(),
    (error) => refuse('run-pipeline', 'Nothing was triggered. The action could not be loaded.', error),
  );
