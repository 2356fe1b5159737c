/** The final statuses of a run. Any other text means that the run is still in progress. */
export const TERMINAL_STATUSES = [
  'completed',
  'completed_with_warning',
  'failed',
  'cancelled',
  'timed_out',
  'skipped',
] as const;

export type TerminalStatus = (typeof TERMINAL_STATUSES)[number];

/** The statuses in which the service can cancel a run. Every cancel uses them as a precondition. */
export const CANCELLABLE_STATUSES = ['queued', 'picked', 'running'] as const;

export function isTerminal(status: string): status is TerminalStatus {
  return (TERMINAL_STATUSES as readonly string[]).includes(status);
}

/** Returns true if this version knows the status, whether final or not. */
export function isKnownStatus(status: string): boolean {
  return isTerminal(status) || (CANCELLABLE_STATUSES as readonly string[]).includes(status);
}

/** Replaces a status message that exceeds the maximum response size. */
export const MESSAGE_TOO_LONG = '(the status message is longer than 256 KiB and is not shown)';
