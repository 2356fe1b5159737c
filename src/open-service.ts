import type { OpenService } from './action/main-step.ts';
import { systemClock } from './base/clock.ts';
import { VERSION } from './base/version.ts';
import { createService } from './service/client.ts';
import { createHttpWire } from './service/http-wire.ts';

/** The real service, over HTTP and by the machine's own clock. */
export const openService: OpenService = (options) =>
  createService({
    ...options,
    clock: systemClock,
    wire: createHttpWire({ userAgent: `run-pipeline/${VERSION}` }),
  });
