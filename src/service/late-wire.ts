import type { Wire } from './wire.ts';

/**
 * A wire that is loaded when the first request leaves. Every later request goes straight through: whoever has said
 * that one is about to leave can rely on it.
 *
 * @param load rejects where the wire cannot be had; the request then fails like one that was never connected
 */
export function lateWire(load: () => Promise<Wire>): Wire {
  let wire: Wire | undefined;
  let loading: Promise<Wire> | undefined;
  return (request, events) => {
    if (wire !== undefined) return wire(request, events);
    let hangUp: (() => void) | undefined;
    let isWanted = true;
    loading ??= load();
    loading.then(
      (loaded) => {
        wire = loaded;
        if (isWanted) hangUp = loaded(request, events);
      },
      (error: unknown) => {
        loading = undefined;
        if (isWanted) events.failed({ message: error instanceof Error ? error.message : String(error) });
      },
    );
    return () => {
      isWanted = false;
      hangUp?.();
    };
  };
}
