import type { CallKind } from '../model/index.ts';
import type { Rule } from './rules.ts';

const CALLS: readonly string[] = ['exchange', 'list', 'trigger', 'read', 'cancel', 'other'] satisfies CallKind[];

type What = 'number' | 'string';

/** The required fields of each effect. */
const NEEDS: Readonly<Record<string, Readonly<Record<string, What>>>> = {
  lag: { byMs: 'number' },
  status: { status: 'string' },
  'foreign-row': {},
  null: {},
  empty: {},
  'refuse-token': {},
  answer: {},
  delay: { ms: 'number' },
  hold: { point: 'string' },
  silence: { point: 'string' },
  reset: { point: 'string' },
  stall: { afterBytes: 'number' },
  cut: { afterBytes: 'number', framing: 'string' },
  garbage: {},
  endless: {},
} satisfies Record<Exclude<Rule['how']['do'], 'mute'>, Readonly<Record<string, What>>>;

const ON_CONNECTIONS: typeof NEEDS = { mute: {}, reset: {}, delay: { ms: 'number' } };

/** Whether a JSON value is a rule with all the fields that its effect requires. */
export function isRule(value: unknown): value is Rule {
  if (!isObject(value) || !isObject(value['how'])) return false;
  const { kind, how } = value;
  if (kind !== 'connection' && kind !== 'any' && !isCallKind(kind)) return false;
  const effect = how['do'];
  const effects = kind === 'connection' ? ON_CONNECTIONS : NEEDS;
  const needs = typeof effect === 'string' && Object.hasOwn(effects, effect) ? effects[effect] : undefined;
  if (needs === undefined) return false;
  const numbers = ['nth', 'every', 'from', 'to'].every((name) => {
    return value[name] === undefined || Number.isInteger(value[name]);
  });
  return numbers && Object.entries(needs).every(([name, type]) => typeof how[name] === type);
}

export function isCallKind(value: unknown): value is CallKind {
  return typeof value === 'string' && CALLS.includes(value);
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
