/** A scenario in the JSON format of `npm run simulate -- --replay`. */
import { parsed } from '../model/facts.ts';
import { plainSingle } from '../model/plain.ts';
import { alone, EXECUTION, list, number, object, type ScenarioSpec, SERVICE, someOf } from '../model/spec.ts';

const SINGLE = { seed: number, ...SERVICE, ...EXECUTION };
const asSingle = object(SINGLE);
const asReplayed = someOf({ ...SINGLE, executions: list(someOf(SINGLE)) });

/** The differences between a scenario and a plain one, which are all that a replay needs. */
export function asReplay({ seed, service, executions }: ScenarioSpec): string {
  const plain = plainSingle();
  const changes = executions.map((execution) => differences(execution, plain));
  return JSON.stringify({ seed, ...differences(service, plain), executions: changes });
}

function differences(of: object, from: object): object {
  const usual: Readonly<Record<string, unknown>> = { ...from };
  return Object.fromEntries(
    Object.entries(of).filter(([key, value]) => JSON.stringify(value) !== JSON.stringify(usual[key])),
  );
}

/**
 * The scenario that a replay describes. Without `executions`, it contains the changes to a single execution, next to
 * shared members such as `latencyMs`.
 * @throws if the replay is invalid, because a mistyped one must not pass
 */
export function ofReplay(json: string): ScenarioSpec {
  const { executions = [{}], ...shared } = asReplayed('the replay', parsed(json) ?? 'not JSON');
  const scenarios = executions.map((changes) => {
    const misplaced = Object.keys(changes).find((name) => name === 'seed' || name in SERVICE);
    if (misplaced !== undefined) throw new Error(`All executions share ${misplaced}. Write it beside executions.`);
    const single = asSingle('the scenario', { ...plainSingle(), ...shared, ...changes });
    const { faults, crashes } = single;
    const reversed = faults.find(({ from, to }) => to < from);
    if (reversed !== undefined)
      throw new Error(`A fault ends at ${reversed.to}, before it begins at ${reversed.from}.`);
    const dangling = crashes.find(({ at }) => 'fault' in at && faults[at.fault] === undefined);
    if (dangling !== undefined) throw new Error(`The fault of ${JSON.stringify(dangling)} is missing.`);
    return alone(single);
  });
  const [first] = scenarios;
  if (first === undefined) throw new Error('A scenario has at least one execution.');
  return { ...first, executions: scenarios.flatMap((each) => each.executions) };
}
