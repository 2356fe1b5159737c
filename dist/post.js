import { complaintAboutNode, isIdle, keptIds } from './early.js';
if (complaintAboutNode() === undefined && !isIdle(process.env)) {
  import('./index.js').then(
    ({ runPost }) => runPost(),
    () => {
      const ids = keptIds(process.env).join(', ') || 'not known';
      const line = `The post step could not be loaded. Runs may still be in progress (ids: ${ids}). Cancel them in the application.`;
      process.stdout.write(`::warning title=run-pipeline::${line}\n`);
    },
  );
}
