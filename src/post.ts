import { isAllSettled } from './action/all-settled.ts';
import { systemFiles } from './action/files.ts';

// Most posts find nothing to do, and end before anything else is loaded.
if (!isAllSettled(process.env, systemFiles)) {
  const { startPost } = await import('./start.ts');
  startPost();
}
