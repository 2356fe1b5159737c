import { complaintAboutNode } from './early.js';
const complaint = complaintAboutNode();
process.exitCode = 1;
if (complaint === undefined) import('./index.js').then(({ runCancel }) => runCancel());
else process.stdout.write(`::error title=run-pipeline/cancel::${complaint}\n`);
