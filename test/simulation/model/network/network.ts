/** The network and the service behind it: finds the fault for each request and opens its connection. */
import { answer, kindOf, type ModelResponse, type World } from '../../../../sandbox/model/index.ts';
import type { HttpConnection } from '../../../../src/service/http/connection.ts';
import { type Change, plainScript } from '../../../support/fault-scripts.ts';
import { canHappen, FAULTS } from '../../../support/faults.ts';
import type { RequestPoint } from '../crashes.ts';
import type { RequestFact } from '../facts.ts';
import type { Loop } from '../loop.ts';
import { plainFault } from '../plain.ts';
import type { SimProcess } from '../process.ts';
import type { StreamOf } from '../random.ts';
import type { SingleSpec } from '../spec.ts';
import { KEY } from '../world.ts';
import { connectingOf } from './connecting.ts';
import { connect } from './connection.ts';
import { LONG_ECHO, withEcho } from './echo.ts';

const API = /\/rest\/v1\/jobs\?id=eq\.([0-9a-f-]{36})/;
const PIPELINE = /"p_pipeline_id":"([0-9a-f-]{36})"/;

/** A few multi-megabyte responses are as revealing as many. */
const MOST_LONG_ECHOES = 6;

export type Network = ReturnType<typeof createNetwork>;

/** @param onRequest called before a request is sent, and before its response reaches the process */
export function createNetwork(
  { spec, world, loop, streamOf }: { spec: SingleSpec; world: World; loop: Loop; streamOf: StreamOf },
  onRequest: (point: RequestPoint) => void,
) {
  const requests: RequestFact[] = [];
  const counts = new Map<string, number>();
  let longEchoes = 0;
  // An impossible fault must fail here instead of causing an error inside the process under test.
  const wrong = spec.faults.find(({ what, call }) => !canHappen(what, call));
  if (wrong !== undefined) throw new Error(`${wrong.what} cannot happen to ${wrong.call}.`);

  const countOf = (key: string): number => {
    const count = (counts.get(key) ?? 0) + 1;
    counts.set(key, count);
    return count;
  };

  const onAnswer = ({ call, headers }: RequestFact, response: ModelResponse): ModelResponse => {
    const { echo, pipelines } = spec;
    // A lookup by name would not find a pipeline whose name contains an echo.
    const isNamed = pipelines.some(({ given }) => given === 'name');
    if (echo === null || (echo.where === 'name' && isNamed)) return response;
    const sent = (headers['authorization'] ?? '').replace(/^Bearer /, '');
    const after = longEchoes < MOST_LONG_ECHOES ? echo.after : Math.min(echo.after, LONG_ECHO);
    if (after > LONG_ECHO) longEchoes += 1;
    return withEcho(response, { ...echo, after }, { call, key: KEY, token: sent === KEY ? undefined : sent });
  };

  const commit = (fact: RequestFact, { how, edit }: Change): ModelResponse => {
    fact.committedAtMs = loop.nowMs;
    loop.note('service', 0, 'commit', `${fact.call} ${fact.subject}`);
    const { pathname, search } = new URL(fact.url);
    const { method, headers, body } = fact;
    if (how !== undefined) world.rules.push({ kind: 'any', how });
    const response = answer(world, { method, path: pathname + search, headers, body }, loop.nowMs);
    if (how !== undefined) world.rules.pop();
    return edit === undefined || response.status !== 200 ? response : { ...response, body: edit(response.body) };
  };

  const connectionOf = (process: SimProcess): HttpConnection => {
    const on = process.name;
    return ({ url, method, headers, body = '' }, events) => {
      if (!process.alive) return () => undefined;
      const path = url.pathname + url.search;
      const isService = url.host === 'app.example.test' || url.host === new URL(world.backendUrl).host;
      const call = isService ? kindOf(world, { method, path }) : 'other';
      const nth = countOf(`${on} ${call}`);
      const index = spec.faults.findIndex(
        (one) => one.on === on && one.call === call && nth >= one.from && nth <= one.to,
      );
      const outage = spec.outages.find(({ fromMs, toMs }) => loop.nowMs >= fromMs && loop.nowMs < toMs);
      const fault = spec.faults[index] ?? (outage && plainFault('read', outage.what, { ms: 1_000 }));
      const point = { process, number: countOf(on), fault: index };
      onRequest({ ...point, at: 'request' });
      const subject = API.exec(path)?.[1] ?? PIPELINE.exec(body)?.[1] ?? '';
      let hangUp: (() => void) | undefined;
      const send = (_: boolean, effect: number): void => {
        const random = streamOf(on, call, nth);
        const leg = (): number => 1 + random.below(spec.latencyMs);
        const undisturbed = connectingOf(fault, leg(), spec.local);
        const connecting = { ...undisturbed, lookup: process.lookUp(undisturbed.lookup) };
        const legs = { connecting, send: leg(), work: leg(), back: leg() };
        const split = random.chance(0.8) ? 1 : random.next();
        const sent = headers['authorization'] ?? '';
        const script = fault ? FAULTS[fault.what].script({ ...fault, legs, split, sent }) : plainScript(legs, split);
        const fact: RequestFact = {
          ...{ on, call, nth, subject, method, url: url.href, headers, body, effect, connecting },
          ...{ atMs: loop.nowMs, step: loop.step, answerHeaders: {}, text: '' },
          what: fault?.what === 'none' ? undefined : fault?.what,
        };
        requests.push(fact);
        hangUp = connect(script, {
          ...{ process, fact, events, loop },
          commit: (change) => commit(fact, change),
          onAnswer: (response) => onAnswer(fact, response),
          onResponse: () => onRequest({ ...point, at: 'response' }),
        });
      };
      process.perform('request', `${call} ${subject}${fault ? ` !${fault.what}` : ''}`, send);
      return () => hangUp?.();
    };
  };
  return { requests, connectionOf };
}
