// Which facts about a run main may record in which order, and what each one implies.
import type { DurableFact, Stop } from '../../src/run/state/facts.ts';
import { JOB, PIPELINE } from './service.ts';

/** What the facts recorded so far imply about a run. */
export type Truth =
  | 'new'
  | 'claimed'
  | 'claimed earlier'
  | 'POST may be sent'
  | 'POST may be sent, after a lost response'
  | 'response was lost'
  | 'unknown'
  | 'in progress'
  | 'to be cancelled'
  | 'left'
  | 'lost'
  | 'detached'
  | 'finished'
  | 'not queued'
  | `POST may be sent, stopped: ${Stop['policy']}`
  | `POST may be sent, after a lost response, stopped: ${Stop['policy']}`;

type Kind = DurableFact['kind'] | `stopped: ${Stop['policy']}`;

const NOTHING_CHANGES = { 'stopped: cancel': 'same', 'stopped: leave': 'same', 'stopped: await': 'same' } as const;
const STOPPED_BEFORE = {
  'stopped: cancel': 'not queued',
  'stopped: leave': 'not queued',
  'stopped: await': 'not queued',
} as const;
const IN_PROGRESS = {
  'stopped: cancel': 'to be cancelled',
  'stopped: leave': 'left',
  'stopped: await': 'same',
  lost: 'lost',
  detached: 'detached',
  finished: 'finished',
} as const;
const STOPPED_POST = { refused: 'not queued', unknown: 'unknown', ...NOTHING_CHANGES } as const;

/** A refusal proves nothing about the earlier POST, so main records the result as unknown. */
const DOUBTED_POST = { unknown: 'unknown', ...NOTHING_CHANGES } as const;

/** The facts that main may record next about one run, and what they imply. A stop is recorded for all runs at once. */
export const FACT_TABLE: Readonly<Record<Truth, Readonly<Partial<Record<Kind, Truth | 'same'>>>>> = {
  new: { intent: 'POST may be sent', refused: 'same', ...STOPPED_BEFORE },
  claimed: IN_PROGRESS,
  'claimed earlier': { ...IN_PROGRESS, not_resumed: 'new' },
  // Main repeats the POST after a rejected token or a response proving that the service did not process it.
  'POST may be sent': {
    intent: 'same',
    queued: 'in progress',
    refused: 'new',
    unknown: 'response was lost',
    'stopped: cancel': 'POST may be sent, stopped: cancel',
    'stopped: leave': 'POST may be sent, stopped: leave',
    'stopped: await': 'POST may be sent, stopped: await',
  },
  'POST may be sent, after a lost response': {
    intent: 'same',
    queued: 'in progress',
    unknown: 'response was lost',
    'stopped: cancel': 'POST may be sent, after a lost response, stopped: cancel',
    'stopped: leave': 'POST may be sent, after a lost response, stopped: leave',
    'stopped: await': 'POST may be sent, after a lost response, stopped: await',
  },
  'POST may be sent, stopped: cancel': { ...STOPPED_POST, queued: 'to be cancelled' },
  'POST may be sent, stopped: leave': { ...STOPPED_POST, queued: 'left' },
  'POST may be sent, stopped: await': {
    ...STOPPED_POST,
    queued: 'in progress',
    'stopped: cancel': 'POST may be sent, stopped: cancel',
    'stopped: leave': 'POST may be sent, stopped: leave',
  },
  'POST may be sent, after a lost response, stopped: cancel': { ...DOUBTED_POST, queued: 'to be cancelled' },
  'POST may be sent, after a lost response, stopped: leave': { ...DOUBTED_POST, queued: 'left' },
  'POST may be sent, after a lost response, stopped: await': {
    ...DOUBTED_POST,
    queued: 'in progress',
    'stopped: cancel': 'POST may be sent, after a lost response, stopped: cancel',
    'stopped: leave': 'POST may be sent, after a lost response, stopped: leave',
  },
  // Main sends the trigger again only with `on-lost-response: retry`.
  'response was lost': {
    intent: 'POST may be sent, after a lost response',
    'stopped: cancel': 'unknown',
    'stopped: leave': 'unknown',
    'stopped: await': 'unknown',
  },
  unknown: NOTHING_CHANGES,
  'in progress': IN_PROGRESS,
  'to be cancelled': { detached: 'detached', finished: 'finished', ...NOTHING_CHANGES },
  left: { finished: 'finished', ...NOTHING_CHANGES },
  lost: NOTHING_CHANGES,
  detached: NOTHING_CHANGES,
  finished: NOTHING_CHANGES,
  'not queued': { refused: 'same', ...NOTHING_CHANGES },
};

/** A durable fact of this kind. */
export function factOf(kind: Kind): DurableFact {
  switch (kind) {
    case 'claimed':
    case 'queued':
      return { kind, jobId: JOB };
    case 'intent':
      return { kind, pipeline: { id: PIPELINE, name: 'Orders' }, wall: 0 };
    case 'finished':
      return { kind, job: { id: JOB, status: 'completed', statusMessage: null } };
    case 'stopped':
    case 'stopped: cancel':
    case 'stopped: leave':
    case 'stopped: await': {
      const policy = kind === 'stopped: leave' ? 'leave' : kind === 'stopped: await' ? 'await' : 'cancel';
      return { kind: 'stopped', stop: { reason: { kind: 'timeout', afterMs: 1 }, policy, at: 0 } };
    }
    case 'not_resumed':
    case 'refused':
    case 'unknown':
    case 'detached':
    case 'lost':
      return { kind };
  }
}

/** The kind of a fact in the table's notation. */
export function kindOf(fact: DurableFact): Kind {
  return fact.kind === 'stopped' ? `stopped: ${fact.stop.policy}` : fact.kind;
}

/** What another fact implies; undefined if the table does not permit it. */
export function truthAfter(truth: Truth, fact: DurableFact): Truth | undefined {
  const next = FACT_TABLE[truth][kindOf(fact)];
  return next === 'same' ? truth : next;
}
