import { complaintAboutNode, parentAtStart, refuse } from "./early.js";
process.exitCode = 1;
const complaint = complaintAboutNode();
if (complaint !== undefined)
    refuse('run-pipeline', `${complaint} Nothing was triggered.`);
else
    import("./index.js")
        .then(({ runMain }) => runMain(parentAtStart))
        .catch((error) => refuse('run-pipeline', 'Nothing was triggered. The action could not be loaded.', error));
