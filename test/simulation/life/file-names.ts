import { PATHS } from './facts.ts';
import type { FileName } from './spec.ts';

/** Which of the files that a life's disk faults name is at a path; undefined for any other. */
export function fileAt(path: string): FileName | undefined {
  if (path === PATHS.state) return 'state';
  if (path === PATHS.output) return 'output';
  if (path === PATHS.summary || path === PATHS.postSummary) return 'summary';
  return path.endsWith('.journal') ? 'journal' : undefined;
}
