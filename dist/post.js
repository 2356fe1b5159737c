import { complaintAboutNode, isIdle, keptIds } from './early.js';
if (complaintAboutNode() === undefined && !isIdle(process.env)) {
  import('./index.js').then(
    ({ runPost }) => runPost(),
    () => {
      const ids = keptIds(process.env).join(', ');
      const line = `The post step could not be loaded. Cancel the runs that it left in the application: ${ids}`;
      process.stdout.write(`::warning title=run-pipeline::${line}\n`);
    },
  );
}
