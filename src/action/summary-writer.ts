import type { Files } from './files.ts';

/** The runner takes a summary of 1 MiB, and of a larger one nothing. */
const MOST_BYTES = 1_048_576;

export interface SummaryWriter {
  /** Shows `markdown` in the place of what was shown before. Throws when there is no room, or the file takes none. */
  show(markdown: string): void;
}

/** Writes behind what the file held at first; a second showing replaces the first. */
export function createSummaryWriter(files: Files, path: string | undefined): SummaryWriter {
  if (path === undefined || path === '') return { show: () => undefined };
  let before: string | undefined;
  return {
    show(markdown) {
      before ??= files.read(path) ?? '';
      const text = `${before}${markdown}\n`;
      if (Buffer.byteLength(text) > MOST_BYTES) throw new Error('it holds no more than 1 MiB');
      files.write(path, text);
    },
  };
}
