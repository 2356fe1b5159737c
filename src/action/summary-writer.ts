import { appendToSummary, readFile, replaceFile } from './file-access.ts';
import type { Files } from './files.ts';

/** The runner takes a summary of 1 MiB, and of a larger one nothing. */
const MOST_BYTES = 1_048_576;

export interface SummaryWriter {
  /** Shows `markdown` in the place of what was shown before. Throws when there is no room, or the file takes none. */
  show(markdown: string): void;
}

/** Writes behind what the file held at first; a second showing replaces the first. A device gets both. */
export function createSummaryWriter(files: Files, path: string | undefined): SummaryWriter {
  if (path === undefined || path === '') return { show: () => undefined };
  let before: string | undefined;
  return {
    show(markdown) {
      if (files.kindOf(path) === 'character_device') {
        appendToSummary(files, path, `${markdown}\n`);
        return;
      }
      before ??= contentOf(files, path);
      const text = `${before}${markdown}\n`;
      if (Buffer.byteLength(text) > MOST_BYTES) throw new Error('it holds no more than 1 MiB');
      replaceFile(files, path, text);
    },
  };
}

/** What the file contains before it is replaced. Throws if that cannot be kept. */
function contentOf(files: Files, path: string): string {
  const text = readFile(files, path);
  if (text === undefined && files.kindOf(path) === 'file') throw new Error('its content could not be read');
  return text ?? '';
}
