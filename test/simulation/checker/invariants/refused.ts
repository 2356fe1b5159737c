import { type History, hasLostState } from '../history.ts';

/**
 * A step with a wrong input sends nothing and fails. A post step that has lost its state sees to what other actions in the
 * same composite left: it cannot tell them from its own main.
 */
export function refused({ facts, exited }: History): string[] {
  const { main, post, requests } = facts;
  const outcome = main.outputs.get('outcome') ?? '';
  const seesToOthers = facts.hasNeighbours && hasLostState(facts);
  // The runner gave main up, and read its outputs, while a write blocked it.
  const isReadEarly = (facts.filesReadStep ?? Infinity) < (main.end?.step ?? 0);
  const failedWrite = facts.writes.some(({ failed }) => failed);
  return [
    ...requests
      .filter(({ on }) => on === 'main' || !seesToOthers)
      .map(({ on, call }) => `${on} sent a request (${call}) although an input is wrong`),
    ...(seesToOthers ? [] : (post?.lines ?? [])).map(
      ({ text }) => `post printed a line although an input is wrong: ${text}`,
    ),
    ...(exited && main.end?.code !== 1 ? [`exit code ${String(main.end?.code)} although an input is wrong`] : []),
    ...(exited && !failedWrite && !isReadEarly && outcome !== 'not_triggered' ? [`the outcome is ${outcome}`] : []),
  ];
}
