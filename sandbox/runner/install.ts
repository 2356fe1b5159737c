import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface InstalledAction {
  readonly folder: string;
  readonly remove: () => void;
}

/**
 * Copies the files of an action that a runner needs to a separate folder. No parent folder contains node_modules, so an
 * incomplete bundle fails.
 */
export function installAction(repository: string): InstalledAction {
  const folder = mkdtempSync(join(tmpdir(), 'action-'));
  for (const name of ['action.yml', 'cancel', 'dist']) {
    cpSync(join(repository, name), join(folder, name), { recursive: true });
  }
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}
