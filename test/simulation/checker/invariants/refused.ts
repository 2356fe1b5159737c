import type { History } from '../history.ts';

/** A step with a wrong input sends nothing and fails. */
export function refused({ facts, exited }: History): string[] {
  const { main, post, requests } = facts;
  const outcome = main.outputs.get('outcome') ?? '';
  const failedWrite = facts.writes.some(({ failed }) => failed);
  return [
    ...requests.map(({ on, call }) => `${on} sent a request (${call}) although an input is wrong`),
    ...(post?.lines ?? []).map(({ text }) => `post printed a line although an input is wrong: ${text}`),
    ...(exited && main.end?.code !== 1
      ? [`exit code ${String(main.end?.code)} although an input is wrong`]
      : []),
    ...(exited && !failedWrite && outcome !== 'not_triggered' ? [`the outcome is ${outcome}`] : []),
  ];
}
