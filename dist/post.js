import { complaintAboutNode, isIdle, keptIds } from './early.js';
if (complaintAboutNode() === undefined && !isIdle(process.env)) {
  import('./index.js').then(
    ({ runPost }) => runPost(),
    () => {
      const ids = keptIds(process.env).join(', ');
      const runs =
        ids === '' ? 'The state of this step contains no run id.' : `Cancel these runs in the application: ${ids}`;
      const line = `The post step could not be loaded. ${runs}`;
      process.stdout.write(`::warning title=run-pipeline::${line}\n`);
    },
  );
}
