import { answer, type ModelEffect, type ModelResponse, type World } from '../../../../sandbox/model/index.ts';
import type { RequestFact } from './request-fact.ts';
import type { Commit } from './script.ts';

/** Has the service's model do what a request asks, as the script wants it done: this is the commit. */
export function serve(world: World, fact: RequestFact, step: Commit, nowMs: number): ModelResponse {
  const { pathname, search } = new URL(fact.url);
  const request = { method: fact.method, path: pathname + search, headers: fact.headers, body: fact.body };
  const respond = (how?: ModelEffect): ModelResponse => {
    if (how !== undefined) world.rules.push({ kind: 'any', how });
    const response = answer(world, request, nowMs);
    if (how !== undefined) world.rules.pop();
    return response;
  };
  const response = respond(step.how);
  if (step.edit === undefined || response.status !== 200) return response;
  return { ...response, body: step.edit(response.body) };
}
