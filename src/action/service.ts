import type { RequestTrace, Service } from '../service/api.ts';
import type { Toolkit } from './toolkit.ts';
import { debugLine } from './trace.ts';

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
