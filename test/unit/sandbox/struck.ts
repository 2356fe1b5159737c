import { PIPELINE_IDS } from '../../../sandbox/model/index.ts';
import { type Rule, type Sandbox, startSandbox, type WireEffect } from '../../../sandbox/server/index.ts';
import { talk, triggerText } from './raw.ts';

const open: Sandbox[] = [];

/** Starts a sandbox that `closeAll` closes. */
export async function sandboxWith(...rules: Rule[]): Promise<Sandbox> {
  const sandbox = await startSandbox({ rules });
  open.push(sandbox);
  return sandbox;
}

export async function closeAll(): Promise<void> {
  for (const sandbox of open.splice(0)) await sandbox.close();
}

/** A sandbox with rules, and a trigger on its way to it. */
export async function strike(...rules: Rule[]) {
  const sandbox = await sandboxWith(...rules);
  const conversation = talk(sandbox, triggerText(sandbox, PIPELINE_IDS.orders));
  return { sandbox, conversation, runs: () => sandbox.world.jobs.length };
}

export function trigger(how: WireEffect): Rule {
  return { kind: 'trigger', how };
}
