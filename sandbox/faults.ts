/*
 * The vocabulary of faults: what goes wrong, as plain data. Unit tests, the simulation, the sandbox's server and the
 * end-to-end tests read the same words:
 *
 *   { call: 'read', from: 2, forMs: 30_000, what: 'http_503' }      503 for 30 s from the second read on
 *   { fromMs: 60_000, forMs: 120_000, what: 'refused' }             nothing connects in the second and third minute
 *   { call: 'trigger', times: 1, what: 'lost' }                     the response to the first trigger is lost
 *   { call: 'read', about: 'orders', what: statusIs('paused') }       every read of a run of this pipeline
 *   { file: 'journal', from: 4, times: 2, what: 'full_disk' }       the fourth and fifth write to the journal fail
 *
 * To add a fault, add a row to `FAULT_TABLE`.
 */

/** The calls of the service. `other` stands for any other request. */
export type CallKind = 'exchange' | 'list' | 'trigger' | 'read' | 'cancel' | 'other';

export type Role = 'main' | 'post';

/** The files that a step writes. A `mark` is what a post step leaves for a main process. */
export type FileKind = 'state' | 'journal' | 'output' | 'summary' | 'mark';

/** When a fault applies. Without these fields, always. Times are in ms since the machine or the sandbox started. */
interface Window {
  /** The process. By default, both. */
  readonly on?: Role;
  /** Only from the nth matching request or write on, counted from 1. */
  readonly from?: number;
  /** The number of requests or writes that it affects. */
  readonly times?: number;
  /** Only requests or writes whose numbers are multiples of this number. */
  readonly every?: number;
  /** Only from this time on. */
  readonly fromMs?: number;
  /** How long it lasts, from `fromMs` or else from the first request or write that it affects. */
  readonly forMs?: number;
}

/** What goes wrong with requests. */
export interface RequestFault extends Window {
  /** By default, each call that can have the fault. */
  readonly call?: CallKind | readonly CallKind[];
  /** Only requests about this pipeline or its runs. The value is the pipeline's API name. */
  readonly about?: string;
  readonly what: What;
  /** Whether the service processes the request, if this differs from the row in `FAULTS`. `late`: after the client gave up. */
  readonly processed?: Processed;
  /** The duration of what takes long. */
  readonly ms?: number;
}

/** A row of `FAULTS`, or a fault that only one test needs. */
export type What = FaultName | Effect;

/** What goes wrong with writes to a file. */
export interface FileFault extends Window {
  readonly file: FileKind | 'all';
  readonly what: 'full_disk' | 'vanished';
  /** The part of the text that stays in the file, from 0 to 1, because it cannot be removed either. */
  readonly part?: number;
}

export type Fault = RequestFault | FileFault;

export type Processed = 'no' | 'yes' | 'late';

/** A response that does not come from the service's own code. */
export interface Reply {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly text?: string;
  /** How the body ends. The default is `complete`. */
  readonly body?: 'complete' | 'cut off' | 'stalled' | 'too large';
}

/** A failure with an error code of Node.js. */
export interface Failure {
  readonly error: string;
}

/** What a fault does. */
export interface Effect {
  /** The calls that can have the fault. By default, all. */
  readonly calls?: readonly CallKind[];
  /** What happens instead of a connection at once. `bug`: the action's own code throws. */
  readonly connect?: Failure | 'hangs' | 'slow' | 'bug';
  /** Whether the service processes the request. The default is `yes`, or `no` if a reply replaces its response. */
  readonly processed?: Processed;
  /** Whether both are possible, so that random faults vary it. */
  readonly isOpen?: true;
  /** How the service itself misbehaves: in one of these ways. */
  readonly service?: readonly ServiceEffect[];
  /** What happens instead of the service's response. A body that is cut off or stalls has a part of it. */
  readonly response?: Failure | 'none' | 'slow' | 'cut off' | 'stalled' | readonly Reply[];
  /** Only in the sandbox's server: delays the request or its response until a test releases it. */
  readonly holds?: 'request' | 'response';
}

/** The ways in which the service itself can misbehave. */
export type ServiceEffect =
  /** Returns a stale read from a replica that lags by this time, by default the fault's `ms`. */
  | { readonly do: 'lag'; readonly byMs?: number }
  /** Replaces the status in the rows. */
  | { readonly do: 'status'; readonly status: string; readonly message?: string | null }
  /** Returns a row of another run instead of the right one. */
  | { readonly do: 'foreign-row' }
  /** Responds to the trigger with `null` and queues no run. */
  | { readonly do: 'null' }
  /** Responds to the trigger with the id of the last run and queues none. */
  | { readonly do: 'known-id' }
  /** Returns an empty array and changes nothing. */
  | { readonly do: 'empty' }
  /** Returns a page of the list in descending order, the first page instead of a later one, or no first page. */
  | { readonly do: 'page'; readonly is: 'reversed' | 'the first' | 'empty' };

/** Text that must not act as anything but text. */
export const HOSTILE = 'no\n::error title=forged::CANARY ##[error]CANARY <b>CANARY</b> \u001b[2K\u202e | x';

const JSON_TYPE = { 'content-type': 'application/json' };
const PAGE_TYPE = { 'content-type': 'text/html; charset=utf-8' };
const LOGIN = '<!doctype html><title>Log in</title><h1>Log in</h1>';

/** A reply with JSON. */
export function json(value: unknown, status = 200, headers: Reply['headers'] = {}): Effect {
  return { response: [{ status, headers: { ...JSON_TYPE, ...headers }, text: JSON.stringify(value) }] };
}

/** A reply with any text. */
export function text(content: string, status = 200, headers: Reply['headers'] = {}): Effect {
  return { response: [{ status, headers, text: content }] };
}

/** An error as the service writes it, with a message that is harmless or not. */
function error(status: number, message: string, more: object = {}, headers: Reply['headers'] = {}): Effect {
  const hostile = { code: `E${status}`, message: `The service says ${HOSTILE}`, hint: 'Try something else', ...more };
  const [harmless, harmful] = [{ message, ...more }, hostile].map((value) => json(value, status, headers).response);
  return { response: [...(harmless as Reply[]), ...(harmful as Reply[])] };
}

function page(status: number, headers: Reply['headers'] = {}): Effect {
  return { response: [{ status, headers: { ...PAGE_TYPE, ...headers }, text: LOGIN }] };
}

/** Every row has this status. */
export function statusIs(value: string, message: string | null = null): Effect {
  return { calls: ABOUT_RUNS, service: [{ do: 'status', status: value, message }] };
}

/** The connection cannot be established, or is lost before the service has processed anything. */
export function fails(code: string, when: 'connecting' | 'connected' = 'connecting'): Effect {
  return when === 'connecting' ? { connect: { error: code } } : { processed: 'no', response: { error: code } };
}

const ABOUT_RUNS: readonly CallKind[] = ['read', 'cancel'];
const WITH_TOKEN: readonly CallKind[] = ['list', 'trigger', 'read', 'cancel'];
const ODD_STATUSES = ['paused', 'Completed', ' completed', 'completed\u200b', '', 'completed\n', 'success'];
const WRONG_PAGES = ['reversed', 'the first', 'empty'] as const;
const NO_JSON_OF_OURS = ['OK', '{}', '7', '"no id"', '[[]]', '[{}]', 'true', '', '[null]'];
const NO_TOKEN = ['{"token":null}', '{}', '{"token":"two words"}'];
const RESET: Failure = { error: 'ECONNRESET' };

const FAULT_TABLE = {
  /** Nothing goes wrong, even if a later fault in a list says otherwise. */
  none: {},
  // The connection.
  refused: fails('ECONNREFUSED'),
  unreachable: { connect: 'hangs' },
  slow_connection: { connect: 'slow' },
  certificate: fails('ERR_TLS_CERT_ALTNAME_INVALID'),
  // The action's own code throws while it makes the request.
  bug: { connect: 'bug' },
  // The request, or its response, gets lost.
  reset: { processed: 'no', isOpen: true, response: RESET },
  lost: { processed: 'yes', response: RESET },
  silent: { processed: 'yes', isOpen: true, response: 'none' },
  slow: { response: 'slow' },
  stalled: { response: 'stalled' },
  cut_off: { response: 'cut off' },
  // A gateway or the service rejects the request.
  http_400: error(400, 'wrong request'),
  http_401: { ...error(401, 'JWT expired'), calls: WITH_TOKEN },
  http_403: error(403, 'not yours', { code: '42501' }),
  http_429: error(429, 'slow down'),
  http_429_later: error(429, 'slow down', {}, { 'retry-after': '7' }),
  http_500: { ...error(500, 'internal error'), isOpen: true },
  http_503: { ...error(503, 'try again later'), isOpen: true },
  page_503: { ...page(503, { 'retry-after': '3' }), isOpen: true },
  // PostgREST error codes. Only a lost database connection can follow a commit.
  no_database: error(503, 'Could not connect with the database', { code: 'PGRST000' }),
  lost_database: { ...error(503, 'Lost the connection to the database', { code: 'PGRST001' }), isOpen: true },
  no_schema: error(503, 'Could not query the database for the schema cache', { code: 'PGRST002' }),
  other_schema: {
    ...error(404, 'Could not find the function in the schema cache', { code: 'PGRST202' }),
    calls: WITH_TOKEN,
  },
  token_code: { ...error(400, 'No suitable key or wrong key type', { code: 'PGRST301' }), calls: WITH_TOKEN },
  token_message: { ...error(400, 'JWT expired'), calls: ABOUT_RUNS },
  page_403: page(403),
  page_200: page(200),
  redirect: page(302, { location: 'https://login.example.test/?from=app' }),
  // In response to a trigger, a complete `null` says that no run was queued. One that was cut off says nothing.
  nonsense: {
    isOpen: true,
    response: [
      ...NO_JSON_OF_OURS.map((content) => ({ status: 200, headers: JSON_TYPE, text: content })),
      { status: 200, headers: JSON_TYPE, text: 'null', body: 'cut off' },
    ],
  },
  no_token: {
    calls: ['exchange'],
    response: NO_TOKEN.map((content) => ({ status: 200, headers: JSON_TYPE, text: content })),
  },
  key_rejected: { ...error(401, 'Invalid API key'), calls: ['exchange'] },
  // The service itself misbehaves.
  null: { calls: ['trigger'], service: [{ do: 'null' }] },
  empty: { calls: ABOUT_RUNS, service: [{ do: 'empty' }] },
  foreign_row: { calls: ABOUT_RUNS, service: [{ do: 'foreign-row' }] },
  wrong_page: { calls: ['list'], service: WRONG_PAGES.map((is) => ({ do: 'page', is }) as const) },
  stale: { calls: ['read'], service: [{ do: 'lag' }] },
  odd_status: {
    calls: ['read'],
    service: ODD_STATUSES.map((value) => ({ do: 'status', status: value, message: HOSTILE }) as const),
  },
} as const satisfies Readonly<Record<string, Effect>>;

export type FaultName = keyof typeof FAULT_TABLE;

export const FAULTS: Readonly<Record<FaultName, Effect>> = FAULT_TABLE;

export function effectOf({ what }: Pick<RequestFault, 'what'>): Effect {
  return typeof what === 'string' ? FAULTS[what] : what;
}

/** Whether the service processes a request with this fault. */
export function processedWith(fault: RequestFault | undefined): Processed {
  if (fault === undefined) return 'yes';
  const { connect, processed, response } = effectOf(fault);
  if (connect !== undefined && connect !== 'slow') return 'no';
  return fault.processed ?? processed ?? (Array.isArray(response) ? 'no' : 'yes');
}

/**
 * Returns how the service misbehaves when it processes a request with this fault.
 * @param choice selects one of several ways
 */
export function misbehaviorWith(fault: RequestFault | undefined, choice = 0): ServiceEffect | undefined {
  const ways = fault === undefined ? [] : (effectOf(fault).service ?? []);
  const way = ways[choice % ways.length];
  return way?.do === 'lag' ? { byMs: fault?.ms ?? 0, ...way } : way;
}

/** Faults of one kind of call, one request after the other. From the last one on, `then` applies, if it is set. */
export function inTurn(
  call: CallKind,
  faults: readonly (What | Omit<RequestFault, 'call'>)[],
  then?: What,
): RequestFault[] {
  const rows = faults.map((each, index): RequestFault => {
    const fault = typeof each === 'object' && 'what' in each ? each : { what: each };
    return { call, from: index + 1, times: 1, ...fault };
  });
  return then === undefined ? rows : [...rows, { call, from: faults.length + 1, what: then }];
}

/** A request or a write that may meet a fault. */
interface Occasion {
  readonly atMs: number;
  readonly on?: Role | undefined;
}

export interface RequestOccasion extends Occasion {
  readonly call: CallKind;
  /** The API name of the pipeline that the request is about. */
  readonly about?: string | undefined;
}

/** Decides which faults apply. It counts what it is asked about and remembers when each fault began. */
export class FaultPlan {
  readonly #faults: readonly { readonly fault: Fault; count: number; beganMs: number | undefined }[];

  constructor(faults: readonly Fault[]) {
    this.#faults = faults.map((fault) => ({ fault, count: 0, beganMs: undefined }));
  }

  /** Returns the first fault that the next request meets. */
  ofRequest(request: RequestOccasion): RequestFault | undefined {
    return this.#applying(request, (fault): fault is RequestFault => isAboutRequest(fault, request))[0];
  }

  /** Returns the first fault that the next write to a file meets. */
  ofWrite(file: FileKind, occasion: Occasion): FileFault | undefined {
    const isIt = (fault: Fault): fault is FileFault => 'file' in fault && (fault.file === file || fault.file === 'all');
    return this.#applying(occasion, isIt)[0];
  }

  #applying<F extends Fault>({ atMs, on }: Occasion, isIt: (fault: Fault) => fault is F): F[] {
    return this.#faults.flatMap((each) => {
      const { fault } = each;
      if (!isIt(fault) || (fault.on !== undefined && on !== fault.on) || atMs < (fault.fromMs ?? 0)) return [];
      each.count += 1;
      const { every = 1, forMs = Infinity, from = 1, times = Infinity } = fault;
      if (each.count < from || each.count >= from + times || each.count % every !== 0) return [];
      each.beganMs ??= fault.fromMs ?? atMs;
      return atMs < each.beganMs + forMs ? [fault] : [];
    });
  }
}

function isAboutRequest(fault: Fault, { call, about }: RequestOccasion): boolean {
  if ('file' in fault || (fault.about !== undefined && fault.about !== about)) return false;
  const calls = fault.call ?? effectOf(fault).calls;
  return calls === undefined || (typeof calls === 'string' ? calls === call : calls.includes(call));
}
