import { answers, type Step } from '../support/scripted-wire.ts';
import { PIPELINE } from '../support/service.ts';
import { begun, type Fault, failed } from './fault.ts';

const half = (good: string): Step => ({ text: good.slice(0, good.length / 2) });
/** More than any call takes: 16 MiB of a list, and a little. */
const HUGE: readonly Step[] = Array.from({ length: 17 }, () => ({ text: ' '.repeat(1_048_576) }));

/** The body of a 2xx does not come, not as a whole, or without an end. */
export const BROKEN_BODIES = {
  'body never comes': () => begun,
  'body stalls halfway': (good) => [...begun, half(good)],
  'body cut off at its start': () => [...begun, { end: 'cut_off' }],
  'body cut off halfway': (good) => [...begun, half(good), { end: 'cut_off' }],
  'body reset halfway': (good) => [...begun, half(good), failed('ECONNRESET')],
  'body cut off right after its last byte': (good) => [...begun, { text: good }, { end: 'cut_off' }],
  'body stalls right after its last byte': (good) => [...begun, { text: good }],
  'chunked and broken': (good) => [...begun, half(good), failed('HPE_INVALID_CHUNK_SIZE')],
  'body far too large': (good) => [...begun, { text: good }, ...HUGE, { end: 'complete' }],
} satisfies Record<string, Fault>;

/** The body of a 2xx comes as a whole, and is not what was asked for. */
export const WRONG_BODIES = {
  'no body': () => [...begun, { end: 'complete' }],
  '204 without a body': () => answers(204, ''),
  'not UTF-8': () => [...begun, { bytes: Uint8Array.of(0xff, 0xfe, 0xc3, 0x28) }, { end: 'complete' }],
  'not JSON': () => answers(200, 'OK'),
  'two JSON texts': (good) => answers(200, `${good}\n${good}`),
  'JSON null': () => answers(200, 'null'),
  'JSON number': () => answers(200, '7'),
  'JSON string': () => answers(200, '"done"'),
  'JSON object of another shape': () => answers(200, { ok: true }),
  'JSON error in a 200': () => answers(200, { code: 'PGRST000', message: 'database is away' }),
  'JSON array of numbers': () => answers(200, '[7]'),
  'empty array': () => answers(200, '[]'),
  "another run's row": () => answers(200, [{ id: PIPELINE, job_status: 'completed', status_message: null }]),
  'two rows': (good) => answers(200, `[${good.replace(/^\[|\]$/g, '')},${good.replace(/^\[|\]$/g, '')}]`),
  'row without a status': (good) => answers(200, good.replace('"job_status"', '"state"')),
  'web page with 200': () =>
    answers(200, '<!doctype html><html><head><title>Sign in</title></head></html>', {
      'content-type': 'text/html; charset=utf-8',
    }),
} satisfies Record<string, Fault>;
