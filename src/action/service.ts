import type { RequestTrace, Service } from '../service/api.ts';

/** How an action opens the service; given by the entry, so that no part of src/action knows how it is reached. */
export type OpenService = (options: {
  readonly baseUrl: URL;
  readonly apiKey: string;
  /** Called with every further secret before it is used. */
  readonly onSecret: (secret: string) => void;
  readonly onTrace: (trace: RequestTrace) => void;
}) => Service;
