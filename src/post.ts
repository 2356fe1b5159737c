import { isAllSettled } from './action/all-settled.ts';
import { systemFiles } from './action/files.ts';

// Most posts find nothing to do, and end before anything else is loaded. The bundler would load it at once.
if (!isAllSettled(process.env, systemFiles)) {
  const { startPost } = await import(/* webpackIgnore: true */ './start.ts');
  startPost();
}
