/*
 * A step runs the pipelines that its inputs identify, and no others, regardless of how much of the list the service
 * returns.
 */
import { effectOf } from '../../../sandbox/faults.ts';
import type { Pipeline } from '../../../sandbox/model/index.ts';
import type { RequestHistory } from '../history.ts';
import { idsInList, isOrderly, meaningOf, type StepFacts } from './facts.ts';

/** Each trigger is for a pipeline that the inputs identify beyond doubt. So is each pipeline of a dry run that succeeds. */
export function identified(facts: StepFacts): string[] {
  const { main, spec, targets } = facts;
  const triggers = main.requests.filter(({ call }) => call === 'trigger');
  const foreign = triggers.filter(({ subject }) => !targets.some(({ pipelineId }) => pipelineId === subject));
  const hasNames = spec.pipelines.every(({ existsSinceMs }) => existsSinceMs === null);
  const isTriedOut = spec.task === 'dry_run' && hasNames && isOrderly(main) && main.end?.code === 0;
  const acceptedAt = isTriedOut ? main.end?.order : triggers[0]?.sent.order;
  return [
    ...foreign.map(({ subject }) => `main triggered pipeline ${subject}, which its inputs do not identify`),
    ...(spec.by === 'uuid' || acceptedAt === undefined ? [] : doubtsAbout(facts, acceptedAt)),
  ];
}

/** A name identifies a pipeline only if no other pipeline has it, which only the whole list proves. */
function doubtsAbout(facts: StepFacts, acceptedAt: number): string[] {
  const lists = facts.main.requests.filter((each) => isList(each) && (each.answered?.order ?? Infinity) < acceptedAt);
  const listed = new Set(lists.flatMap(idsInList));
  const missing = pipelinesOf(facts).filter(({ id }) => !listed.has(id));
  return [
    ...(areUnique(facts) ? [] : ['main accepted a name that several pipelines have']),
    ...(missing.length === 0 ? [] : [`main accepted a name although it had not seen ${missing.length} pipelines`]),
  ];
}

/** A pipeline that exists is found, unless the list cannot be read, or another pipeline has its name. */
export function found(facts: StepFacts): string[] {
  const { isCalm, main, scenario, spec, wanted } = facts;
  if (!isCalm || wanted.timeoutMs < Infinity || spec.clock.sleep !== null) return [];
  if (spec.task === 'dry_run' && main.end?.code === 0) return [];
  const last = main.requests.at(-1);
  // A step that stops after a valid list did not find what it looked for. It triggers nothing before that.
  const isGivenUp = last !== undefined && isList(last) && !main.requests.some(({ call }) => AFTER_LISTS.includes(call));
  const isWrong = main.requests.some(({ fault }) => hasWrongPage(fault));
  // The service may show a secret instead of a name.
  const isNameable = areUnique(facts) && scenario.service.echo?.where !== 'name' && !isWrong;
  return isGivenUp && (spec.by === 'uuid' || isNameable)
    ? [`main did not find a pipeline by its ${spec.by}, although the service listed it`]
    : [];
}

function hasWrongPage(fault: RequestHistory['fault']): boolean {
  return fault !== undefined && effectOf({ what: fault }).service?.some((each) => each.do === 'page') === true;
}

const AFTER_LISTS: readonly string[] = ['trigger', 'read', 'cancel'];

/** The list is read in pages only if it must be complete, and only until the last page. */
export function pages(facts: StepFacts): string[] {
  const { main, spec, targets } = facts;
  const lists = main.requests.filter(isList);
  const paged = lists.filter(({ url }) => url.searchParams.has('order'));
  const [first] = lists;
  const listed = first === undefined ? [] : idsInList(first);
  const isEnough = spec.task !== 'dry_run' || targets.every(({ pipelineId }) => listed.includes(pipelineId));
  // Each page has at least one pipeline that the others lack, apart from the last, which is empty.
  const most = pipelinesOf(facts).length + 1;
  return [
    ...(spec.by === 'uuid' && isEnough && paged.length > 0 ? ['main read pages of a list that only adds names'] : []),
    ...(paged.length > most ? [`main read ${paged.length} pages of ${most - 1} pipelines`] : []),
  ];
}

function isList(request: RequestHistory): boolean {
  return request.call === 'list' && request.answered !== undefined && meaningOf(request).is === 'list';
}

/** Returns the pipelines in the workspace of the steps. */
function pipelinesOf({ history: { service }, targets: [target] }: StepFacts): Pipeline[] {
  const workspaceId = service.pipelines.find(({ id }) => id === target?.pipelineId)?.workspaceId;
  return service.pipelines.filter((each) => each.workspaceId === workspaceId);
}

/** Whether each name in the inputs is the name or the API name of a single pipeline. */
function areUnique(facts: StepFacts): boolean {
  const all = pipelinesOf(facts);
  return facts.targets.every(({ pipelineId }) => {
    const own = all.find(({ id }) => id === pipelineId);
    const given = facts.spec.by === 'name' ? own?.name : own?.apiName;
    return all.filter(({ apiName, name }) => name === given || apiName === given).length === 1;
  });
}
