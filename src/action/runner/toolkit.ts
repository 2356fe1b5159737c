import * as core from '@actions/core';

export type Level = 'error' | 'warning' | 'notice';

/** The workflow commands that the action uses. */
export interface Toolkit {
  /** Makes the runner replace a secret with *** in the log. */
  readonly mask: (secret: string) => void;
  readonly annotate: (level: Level, title: string, message: string) => void;
  /** Prints a line that appears only with debug logging. */
  readonly debug: (line: string) => void;
}

const ANNOTATE = { error: core.error, warning: core.warning, notice: core.notice } as const;

export const githubToolkit: Toolkit = {
  mask: (secret) => core.setSecret(secret),
  annotate: (level, title, message) => ANNOTATE[level](message, { title }),
  debug(line) {
    if (core.isDebug()) core.debug(line);
  },
};
