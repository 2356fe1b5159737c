import type { ModelEffect } from '../../../sandbox/model/index.ts';
import type { Fault } from './spec.ts';

/** What a connection does next, `ms` milliseconds after what it did before. */
export type Step = { readonly ms: number } & (
  | { readonly do: 'connected' }
  /** The service does what it was asked: from here on it is true, whoever hears of it. */
  | { readonly do: 'commit'; readonly how?: ModelEffect; readonly edit?: (body: string) => string }
  | {
      readonly do: 'head';
      readonly status?: number;
      readonly headers?: Readonly<Record<string, string>>;
      /** In the place of what the service answers. */
      readonly body?: string;
    }
  /** Up to this share of the body, from where the last one ended. */
  | { readonly do: 'body'; readonly upTo: number }
  | { readonly do: 'bytes'; readonly bytes: Uint8Array }
  | { readonly do: 'end'; readonly complete: boolean }
  | { readonly do: 'fail'; readonly code?: string; readonly message: string }
);

/** The legs of a request, in milliseconds. */
export interface Legs {
  readonly connect: number;
  readonly send: number;
  readonly work: number;
  readonly back: number;
}

/** A body of 64 KiB, many of which are too many. */
const BLANKS = new Uint8Array(65_536).fill(0x20);
const ENOUGH = 17;

/** A request that meets no fault. The body comes in two pieces, split anywhere. */
export function plainScript(legs: Legs, split: number): Step[] {
  return [...opened(legs), { ms: legs.work, do: 'commit' }, ...answered(legs, split)];
}

function opened(legs: Legs): Step[] {
  return [{ ms: legs.connect, do: 'connected' }];
}

function answered(legs: Legs, split: number): Step[] {
  return [
    { ms: legs.send + legs.back, do: 'head' },
    { ms: 0, do: 'body', upTo: split },
    { ms: split < 1 ? 1 : 0, do: 'body', upTo: 1 },
    { ms: 0, do: 'end', complete: true },
  ];
}

/** What a connection does when a fault strikes it. */
export function faultScript(fault: Fault, legs: Legs, split: number, echo: string): Step[] {
  if (fault.what === 'none') return plainScript(legs, split);
  const early = unconnected(fault, legs);
  if (early !== undefined) return early;
  const status = /^s(\d{3})$/.exec(fault.what)?.[1];
  const right = [...opened(legs), ...commits(fault, legs)];
  if (status !== undefined) return settleLate(fault, [...right, ...other(fault, Number(status), legs, echo)]);
  const broken = unanswered(fault, legs) ?? brokenBody(fault, legs);
  if (broken !== undefined) return settleLate(fault, [...right, ...broken]);
  return [...opened(legs), ...modelled(fault, legs, split)];
}

/** The commit before the failure, or none yet. Without one there is nothing to answer but what the fault says. */
function commits(fault: Fault, legs: Legs): Step[] {
  return fault.commit === 'at_once' ? [{ ms: legs.send + legs.work, do: 'commit' }] : [];
}

/** A commit when all is over for the client. */
function settleLate(fault: Fault, steps: Step[]): Step[] {
  return fault.commit === 'late' ? [...steps, { ms: fault.ms, do: 'commit' }] : steps;
}

function failing(ms: number, code: string, message: string): Step {
  return { ms, do: 'fail', code, message };
}

/** Faults before the connection stands, worded as node:http words them. */
function unconnected({ what, ms }: Fault, legs: Legs): Step[] | undefined {
  const at = legs.connect;
  switch (what) {
    case 'refused':
      return [failing(at, 'ECONNREFUSED', 'connect ECONNREFUSED 192.0.2.1:443')];
    case 'unresolved':
      return [failing(at, 'ENOTFOUND', 'getaddrinfo ENOTFOUND app.example.test')];
    case 'unreachable':
      return [failing(ms, 'ETIMEDOUT', 'connect ETIMEDOUT 192.0.2.1:443')];
    case 'silent_connect':
      return [];
    case 'reset_connecting':
      return [
        failing(
          at,
          'ECONNRESET',
          'Client network socket disconnected before secure TLS connection was established',
        ),
      ];
    case 'handshake':
      return [failing(at, 'ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE', 'ssl/tls alert handshake failure')];
    case 'certificate_authority':
      return [failing(at, 'UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'unable to verify the first certificate')];
    case 'certificate_expired':
      return [failing(at, 'CERT_HAS_EXPIRED', 'certificate has expired')];
    case 'certificate_host':
      return [
        failing(
          at,
          'ERR_TLS_CERT_ALTNAME_INVALID',
          "Hostname/IP does not match certificate's altnames: Host: app.example.test. is not in the cert's altnames",
        ),
      ];
    case 'proxy_refuses':
      return [failing(at, 'ECONNRESET', 'tunneling socket could not be established, statusCode=407')];
    case 'proxy_gone':
      return [
        failing(
          at,
          'ECONNRESET',
          'tunneling socket could not be established, cause=connect ECONNREFUSED 192.0.2.9:3128',
        ),
      ];
    default:
      return undefined;
  }
}

/** Faults of a connection that stands, before a head comes. */
function unanswered({ what, ms }: Fault, legs: Legs): Step[] | undefined {
  const at = legs.send + legs.back;
  switch (what) {
    case 'reset':
      return [failing(at, 'ECONNRESET', 'read ECONNRESET')];
    case 'tls_late':
      return [
        failing(at, 'ERR_SSL_DECRYPTION_FAILED_OR_BAD_RECORD_MAC', 'decryption failed or bad record mac'),
      ];
    case 'timed_out_late':
      return [failing(ms, 'ETIMEDOUT', 'read ETIMEDOUT')];
    case 'mute':
      return [];
    case 'not_http':
      return [failing(at, 'HPE_INVALID_CONSTANT', 'Parse Error: Expected HTTP/')];
    default:
      return undefined;
  }
}

/** Faults of a body that begins as it should, or comes from somewhere else. */
function brokenBody({ what }: Fault, legs: Legs): Step[] | undefined {
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
      return [
        head,
        upTo(0.5),
        failing(1, 'HPE_INVALID_CHUNK_SIZE', 'Parse Error: Invalid character in chunk size'),
      ];
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

/** Another status. Some services echo what they were sent, secrets and all. */
function other({ retryAfter }: Fault, status: number, legs: Legs, echo: string): Step[] {
  const isPage = status === 502 || status === 504;
  const headers: Record<string, string> = {
    'content-type': isPage ? 'text/html' : 'application/json',
    ...(retryAfter !== null && { 'retry-after': retryAfter }),
    ...(status < 400 && { location: 'https://elsewhere.example.test/login' }),
  };
  const message = `Something is wrong (${echo})`;
  const body = isPage ? `<html><head><title>${status} Bad Gateway</title>` : JSON.stringify({ message });
  return [
    { ms: legs.send + legs.back, do: 'head', status, headers, body },
    { ms: 0, do: 'body', upTo: 1 },
    { ms: 0, do: 'end', complete: true },
  ];
}

/** Faults that the service's own model can have, and answers that are changed on their way. */
function modelled(fault: Fault, legs: Legs, split: number): Step[] {
  const commit = (how?: ModelEffect, edit?: (body: string) => string): Step[] => [
    {
      ms: legs.send + legs.work,
      do: 'commit',
      ...(how !== undefined && { how }),
      ...(edit !== undefined && { edit }),
    },
    ...answered(legs, split),
  ];
  const fields = (change: Readonly<Record<string, unknown>>): Step[] =>
    commit(undefined, (body) => JSON.stringify({ ...(JSON.parse(body) as object), ...change }));
  switch (fault.what) {
    case 'denied':
      return fault.call === 'exchange'
        ? commit({ do: 'answer', status: 401, body: '{"message":"Invalid API key"}' })
        : commit({ do: 'refuse-token' });
    case 'slow':
      return [
        { ms: legs.send + (fault.commit === 'at_once' ? 0 : fault.ms), do: 'commit' },
        ...answered({ ...legs, back: fault.commit === 'at_once' ? fault.ms : 1 }, split),
      ];
    case 'empty':
      return commit({ do: 'empty' });
    case 'foreign_row':
      return commit({ do: 'foreign-row', instead: true });
    case 'two_rows':
      // The right one first or last.
      return commit({ do: 'foreign-row' }, (body) =>
        legs.work % 2 === 0 ? body : JSON.stringify((JSON.parse(body) as unknown[]).reverse()),
      );
    case 'lag':
      return commit({ do: 'lag', byMs: fault.ms });
    case 'odd_status':
      return commit({ do: 'status', status: 'paused::warning::by agent' });
    case 'still_running':
      return commit({ do: 'status', status: 'running' });
    case 'no_credits':
      return commit({ do: 'null' });
    case 'ttl_zero':
      return fields({ ttl_seconds: 0 });
    case 'ttl_absurd':
      return fields({ ttl_seconds: 1e12 });
    case 'ttl_missing':
      return fields({ ttl_seconds: undefined });
    case 'no_token':
      return fields({ token: undefined });
    case 'null_token':
      return fields({ token: null });
    case 'other_scheme':
      return fields({ backend_url: 'ftp://api.example.test' });
    default:
      throw new Error(`The fault ${fault.what} has no script.`);
  }
}
