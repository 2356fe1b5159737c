import { complaintAboutNode, hasState, isIdle, parentAtStart, SIGNALS, warnAboutRuns } from "./early.js";
const complaint = complaintAboutNode();
if (isIdle(process.env) || (complaint !== undefined && !hasState(process.env)))
    process.exit(0);
else if (complaint !== undefined)
    warnAboutRuns(process.env, `The post step cannot cancel runs. ${complaint}`);
else {
    for (const name of SIGNALS)
        process.on(name, () => undefined);
    import("./index.js")
        .then(({ runPost }) => runPost(parentAtStart))
        .catch((error) => warnAboutRuns(process.env, 'The post step could not be loaded.', error));
}
