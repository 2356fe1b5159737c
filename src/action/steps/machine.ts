import type { Clock } from '../../base/clock.ts';
import { formatDuration } from '../../base/duration.ts';
import { oneLine } from '../../base/safe-text.ts';
import type { RequestTrace, Service } from '../../service/api.ts';
import type { Environment } from '../inputs/input-table.ts';
import type { Files } from '../runner/files.ts';
import type { Watched } from '../runner/signals.ts';
import type { Toolkit } from '../runner/toolkit.ts';

/** The machine's resources that a step uses. The entry point passes them in, and the simulation replaces them. */
export interface Machine {
  readonly env: Environment;
  readonly clock: Clock;
  /** Returns a random number, uniform in [0, 1). */
  readonly random: () => number;
  readonly files: Files;
  readonly toolkit: Toolkit;
  /** Writes a line to stdout. Must not throw. */
  readonly print: (line: string) => void;
  readonly interruption: Watched;
  /** Injected by the entry point, as src/action does not depend on HTTP. Rejects if the HTTP code does not load. */
  readonly openService: (options: {
    readonly baseUrl: URL;
    readonly apiKey: string;
    /** Called with each new secret before its first use. */
    readonly onSecret: (secret: string) => void;
    readonly onTrace: (trace: RequestTrace) => void;
  }) => Service | Promise<Service>;
}

/** Opens the service for a step. Masks the service's secrets, and logs requests if debug logging is on. */
export async function openFor({ openService, toolkit }: Machine, baseUrl: URL, apiKey: string): Promise<Service> {
  return openService({ baseUrl, apiKey, onSecret: toolkit.mask, onTrace: (trace) => toolkit.debug(debugLine(trace)) });
}

/** Describes a request as `GET /rest/v1/jobs?… → 200 in 45ms`, without the host, headers or body. */
export function debugLine({ method, path, status, failure, ms, attempt }: RequestTrace): string {
  const result = [status, failure].filter((part) => part !== undefined).join(', ');
  const again = attempt > 1 ? ` (attempt ${attempt})` : '';
  return oneLine(`${method} ${path} → ${result} in ${formatDuration(ms)}${again}`, 600);
}
