// Tests post with every sequence of up to seven facts about a run, any of which may be lost.
import { describe, expect, it } from 'vitest';
import { choreFor } from '../../../../src/action/state/recover.ts';
import type { Entry } from '../../../../src/run/state/facts.ts';
import { newRun, type RunState, reduce } from '../../../../src/run/state/run-state.ts';
import { FACT_TABLE, factOf, type Truth, truthAfter } from '../../../support/fact-table.ts';
import { mainRecord } from '../../../support/post.ts';
import { JOB } from '../../../support/service.ts';

const MOST_FACTS = 7;

type Policy = 'cancel' | 'leave';
const CASES = [
  ['cancel', 'success'],
  ['cancel', 'cancelled'],
  ['leave', 'cancelled'],
] as const satisfies readonly (readonly [Policy, string])[];

/** The action that post takes on a run: it settles the run, reports it in a phase, or does nothing. */
type Decision = 'settle' | 'none' | `report ${'left' | 'left by policy' | 'lost' | 'detached' | 'unknown'}`;

/** Returns the action that post must take if it can read all facts. */
function expected(truth: Truth, policy: Policy, jobStatus: string): Decision {
  switch (truth) {
    case 'new':
    case 'finished':
    case 'not queued':
      return 'none';
    case 'to be cancelled':
      return 'settle';
    case 'claimed':
    case 'claimed earlier':
    case 'in progress':
      return policy === 'cancel' ? 'settle' : 'report left by policy';
    case 'left':
    case 'lost':
      return `report ${truth}`;
    case 'detached':
      return policy === 'cancel' && jobStatus === 'cancelled' ? 'settle' : 'report detached';
    default:
      return 'report unknown';
  }
}

/** Returns the action that post takes on a run that a killed main left behind. */
function choreOf(before: RunState, policy: Policy, jobStatus: string): Decision {
  const main = mainRecord({ onCancel: policy });
  const { run, chore } = choreFor(before, { main, left: undefined, isReported: false }, jobStatus, 0);
  if (chore !== 'report') return chore;
  if (run.phase.at === 'left') return run.stop?.reason.kind === 'main_killed' ? 'report left by policy' : 'report left';
  return run.phase.at === 'lost' || run.phase.at === 'detached' ? `report ${run.phase.at}` : 'report unknown';
}

interface Node {
  readonly truth: Truth;
  /** The run if the disk has accepted all facts. `possible` has its states if the disk has refused some. */
  readonly exact: RunState;
  readonly possible: ReadonlyMap<string, RunState>;
  readonly path: readonly string[];
  /** True if a second record of the last fact changes nothing. */
  readonly isIdempotent: boolean;
}

function next(node: Node, kind: Parameters<typeof factOf>[0]): Node {
  const fact = factOf(kind);
  const isStop = fact.kind === 'stopped';
  const hasId =
    !['new', 'not queued', 'response was lost', 'unknown'].includes(node.truth) && !node.truth.startsWith('POST');
  const entry: Entry = { run: isStop ? undefined : 1, attempt: 1, fact, ...(hasId && !isStop && { jobId: JOB }) };
  const possible = new Map<string, RunState>();
  let isIdempotent = true;
  for (const [key, run] of node.possible) {
    const after = reduce(run, entry);
    if (fact.kind !== 'intent') isIdempotent &&= JSON.stringify(reduce(after, entry)) === JSON.stringify(after);
    possible.set(JSON.stringify(after), after);
    // Post always finds these, because main records an intent before its POST, and a claimed run in its own record.
    if (fact.kind !== 'intent' && fact.kind !== 'claimed') possible.set(key, run);
  }
  const truth = truthAfter(node.truth, fact) ?? node.truth;
  return { truth, exact: reduce(node.exact, entry), possible, path: [...node.path, kind], isIdempotent };
}

/** Returns one node for each distinct situation that up to seven facts can lead to. */
function walk(start: Node): readonly Node[] {
  const seen = new Map<string, Node>();
  let nodes: Node[] = [start];
  for (let depth = 0; depth <= MOST_FACTS; depth += 1) {
    const following: Node[] = [];
    for (const node of nodes) {
      const key = [node.truth, JSON.stringify(node.exact), ...[...node.possible.keys()].sort()].join('|');
      if (seen.has(key)) continue;
      seen.set(key, node);
      const kinds = depth < MOST_FACTS ? Object.keys(FACT_TABLE[node.truth]) : [];
      for (const kind of kinds) following.push(next(node, kind as Parameters<typeof factOf>[0]));
    }
    nodes = following;
  }
  return [...seen.values()];
}

function startAt(truth: Truth): Node {
  const blank = newRun(1, { kind: 'pipeline', pipeline: '' });
  const exact = truth === 'new' ? blank : reduce(blank, { run: 1, attempt: 1, fact: { kind: 'claimed', jobId: JOB } });
  return { truth, exact, possible: new Map([[JSON.stringify(exact), exact]]), path: [], isIdempotent: true };
}

describe.each<Truth>(['new', 'claimed', 'claimed earlier'])('any sequence of facts about a "%s" run', (truth) => {
  const nodes = walk(startAt(truth));

  it('leads post to the correct decision', () => {
    const wrong: string[] = [];
    for (const node of nodes) {
      for (const [policy, jobStatus] of CASES) {
        const chore = choreOf(node.exact, policy, jobStatus);
        const wanted = expected(node.truth, policy, jobStatus);
        if (chore !== wanted) wrong.push(`${node.path.join(' ')}: ${chore}, not ${wanted} (${policy}, ${jobStatus})`);
      }
    }
    expect(wrong.slice(0, 5)).toEqual([]);
    expect(nodes.length).toBeGreaterThan(15);
  });

  it('leads to the same state if its last fact is recorded twice', () => {
    const wrong = nodes.filter(({ isIdempotent }) => !isIdempotent).map(({ path }) => path.join(' '));
    expect(wrong.slice(0, 5)).toEqual([]);
  });

  it('leads post to a safe decision whichever of its facts are lost', () => {
    const unsafe: string[] = [];
    for (const node of nodes.filter((each) => expected(each.truth, 'cancel', 'success') !== 'none')) {
      for (const [policy, jobStatus] of CASES) {
        for (const run of node.possible.values()) {
          const chore = choreOf(run, policy, jobStatus);
          const isPolicy = chore !== 'report left by policy' || policy === 'leave';
          if (chore === 'none' || !isPolicy) {
            unsafe.push(`${node.path.join(' ')} as ${run.phase.at}: ${chore} (${policy}, ${jobStatus})`);
          }
        }
      }
    }
    expect(unsafe.slice(0, 5)).toEqual([]);
  });
});
