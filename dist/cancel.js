import { complaintAboutNode, parentAtStart, refuse } from "./early.js";
process.exitCode = 1;
const complaint = complaintAboutNode();
if (complaint !== undefined)
    refuse('run-pipeline/cancel', `${complaint} Nothing was cancelled.`);
else
    import("./index.js")
        .then(({ runCancel }) => runCancel(parentAtStart))
        .catch((error) => refuse('run-pipeline/cancel', 'Nothing was cancelled. The action could not be loaded.', error));
