import { formatDuration } from '../../base/duration.ts';
import { oneLine } from '../../base/safe-text.ts';
import type { RequestTrace, Service } from '../../service/api.ts';
import type { Toolkit } from '../runner/toolkit.ts';

/** How an action opens the service; given by the entry, so that no part of src/action knows how it is reached. */
export type OpenService = (options: {
  readonly baseUrl: URL;
  readonly apiKey: string;
  /** Called with every further secret before it is used. */
  readonly onSecret: (secret: string) => void;
  readonly onTrace: (trace: RequestTrace) => void;
}) => Service;

/** Opens the service for a step: its secrets are masked as they come, its requests told with debug logging. */
export function openFor(
  { openService, toolkit }: { readonly openService: OpenService; readonly toolkit: Toolkit },
  baseUrl: URL,
  apiKey: string,
): Service {
  return openService({
    baseUrl,
    apiKey,
    onSecret: toolkit.mask,
    onTrace: (trace) => toolkit.debug(debugLine(trace)),
  });
}

/** `GET /rest/v1/jobs?… → 200 in 45ms`: no host, no header, no body. */
export function debugLine({ method, path, status, failure, ms, attempt }: RequestTrace): string {
  const came = [status, failure].filter((part) => part !== undefined).join(', ');
  const again = attempt > 1 ? ` (attempt ${attempt})` : '';
  return oneLine(`${method} ${path} → ${came} in ${formatDuration(ms)}${again}`, 600);
}
