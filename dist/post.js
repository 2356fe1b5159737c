import { complaintAboutNode, isIdle, keptIds, parentAtStart, printAndExit } from "./early.js";
if (complaintAboutNode() !== undefined || isIdle(process.env))
    process.exit(0);
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'])
    process.on(name, () => undefined);
import("./index.js")
    .then(({ runPost }) => runPost(parentAtStart))
    .catch(() => {
    const ids = keptIds(process.env).join(', ');
    const runs = ids === '' ? 'The state of this step contains no run id.' : `Cancel these runs in the application: ${ids}`;
    printAndExit(`::warning title=run-pipeline::The post step could not be loaded. ${runs}\n`, 0);
});
