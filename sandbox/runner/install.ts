import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface InstalledAction {
  readonly folder: string;
  readonly remove: () => void;
}

/**
 * Copies what a runner downloads of an action, and what it needs of that, to a folder of its own: no
 * node_modules is near it, so that an incomplete bundle fails.
 */
export function installAction(repository: string): InstalledAction {
  const folder = mkdtempSync(join(tmpdir(), 'action-'));
  for (const name of ['action.yml', 'cancel', 'dist']) {
    cpSync(join(repository, name), join(folder, name), { recursive: true });
  }
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}
