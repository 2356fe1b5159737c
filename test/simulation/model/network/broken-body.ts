import type { Fault } from '../spec.ts';
import { failing, type Legs, type Step } from './script.ts';

/** A body of 64 KiB, many of which are too many. */
const BLANKS = new Uint8Array(65_536).fill(0x20);
const ENOUGH = 17;

/** Faults of a body that begins as it should, or comes from somewhere else. */
export function brokenBody({ what }: Fault, legs: Legs): Step[] | undefined {
  const head: Step = { ms: legs.send + legs.back, do: 'head' };
  const upTo = (share: number): Step => ({ ms: 0, do: 'body', upTo: share });
  const cut: Step = { ms: 1, do: 'end', complete: false };
  const reset = failing(1, 'ECONNRESET', 'aborted');
  const page = { 'content-type': 'text/html; charset=utf-8' };
  const json = { 'content-type': 'application/json' };
  const whole = (body: string, headers: Readonly<Record<string, string>>): Step[] => [
    { ms: head.ms, do: 'head', status: 200, headers, body },
    upTo(1),
    { ms: 0, do: 'end', complete: true },
  ];
  switch (what) {
    case 'cut_at_once':
      return [head, cut];
    case 'cut_half':
      return [head, upTo(0.5), cut];
    case 'cut_whole':
      return [head, upTo(1), cut];
    case 'reset_half':
      return [head, upTo(0.5), reset];
    case 'reset_whole':
      return [head, upTo(1), reset];
    case 'stalled_at_once':
      return [head];
    case 'stalled_half':
      return [head, upTo(0.5)];
    case 'stalled_whole':
      return [head, upTo(1)];
    case 'broken_chunks':
      return [head, upTo(0.5), failing(1, 'HPE_INVALID_CHUNK_SIZE', 'Parse Error: Invalid character in chunk size')];
    case 'huge':
      return [
        head,
        ...Array.from({ length: ENOUGH }, (): Step => ({ ms: 0, do: 'bytes', bytes: BLANKS })),
        { ms: 0, do: 'end', complete: true },
      ];
    case 'not_utf8':
      return [
        { ms: head.ms, do: 'head', status: 200, headers: json },
        { ms: 0, do: 'bytes', bytes: new Uint8Array([0x5b, 0xff, 0xfe, 0x80, 0x5d]) },
        { ms: 0, do: 'end', complete: true },
      ];
    case 'not_json':
      return whole('upstream connect error or disconnect/reset before headers', json);
    case 'wrong_shape':
      return whole('{"jobs": 5}', json);
    case 'html_ok':
      return whole('<!doctype html><title>Maintenance</title><p>We will be back soon.', page);
    default:
      return undefined;
  }
}
