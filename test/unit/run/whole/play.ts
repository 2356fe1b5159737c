import type { Inputs } from '../../../support/action.ts';
import type { Call, ServiceScript } from '../../../support/fake-service.ts';
import { type PlayedStep, playStep, STEP_FILES, type StepOptions } from '../../../support/step.ts';

export const { output: OUTPUT, state: STATE, summary: SUMMARY } = STEP_FILES;
export type Played = Omit<PlayedStep, 'calls' | 'triggered'> & {
  readonly calls: readonly (Call & { readonly at: number })[];
  readonly triggered: () => readonly unknown[];
};
export interface PlayOptions extends Pick<StepOptions, 'interruptAtMs'> {
  readonly script?: ServiceScript;
  readonly prepare?: StepOptions['watch'];
}
export async function play(inputs: Inputs, { script = {}, prepare, ...options }: PlayOptions = {}): Promise<Played> {
  const played = await playStep({
    inputs,
    service: script,
    env: { RUNNER_TEMP: '' },
    ...(prepare && { watch: prepare }),
    ...options,
  });
  const all = (['connect', 'list', 'trigger', 'read', 'cancel'] as const).flatMap((call) => played.made(call));
  const calls = all.toSorted((a, b) => a.atMs - b.atMs).map((call) => ({ ...call, at: call.atMs }));
  return { ...played, calls, triggered: () => played.made('trigger').map(({ pipelineId }) => pipelineId) };
}
