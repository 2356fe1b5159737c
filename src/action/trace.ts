import { formatDuration } from '../base/duration.ts';
import { oneLine } from '../base/safe-text.ts';
import type { RequestTrace } from '../service/api.ts';

/** `GET /rest/v1/jobs?… → 200 in 45ms`: no host, no header, no body. */
export function debugLine({ method, path, status, failure, ms, attempt }: RequestTrace): string {
  const came = [status, failure].filter((part) => part !== undefined).join(', ');
  const again = attempt > 1 ? ` (attempt ${attempt})` : '';
  return oneLine(`${method} ${path} → ${came} in ${formatDuration(ms)}${again}`, 600);
}
