import type { Paths } from './facts.ts';
import type { FileName } from './spec.ts';

/** Which of the files that an execution's disk faults name is at a path; undefined for any other. */
export function fileAt(paths: Paths, path: string): FileName | undefined {
  if (path === paths.state) return 'state';
  if (path === paths.output) return 'output';
  if (path === paths.summary || path === paths.postSummary) return 'summary';
  return path.endsWith('.journal') ? 'journal' : undefined;
}
