import { complaintAboutNode } from './early.js';
const complaint = complaintAboutNode();
process.exitCode = 1;
if (complaint === undefined) import('./index.js').then(({ runMain }) => runMain());
else process.stdout.write(`::error title=run-pipeline::${complaint}\n`);
