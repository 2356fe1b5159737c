import * as core from '@actions/core';

export type Level = 'error' | 'warning' | 'notice';

/** What this action uses of a runner's own commands. */
export interface Toolkit {
  /** Has the runner replace a secret by *** wherever it prints it. */
  readonly mask: (secret: string) => void;
  readonly annotate: (level: Level, title: string, message: string) => void;
  /** A line that only shows with debug logging. */
  readonly debug: (line: string) => void;
}

const ANNOTATE = { error: core.error, warning: core.warning, notice: core.notice } as const;

/** The commands as the toolkit of GitHub writes them to stdout. */
export const githubToolkit: Toolkit = {
  mask: (secret) => core.setSecret(secret),
  annotate: (level, title, message) => ANNOTATE[level](message, { title }),
  debug(line) {
    if (core.isDebug()) core.debug(line);
  },
};
