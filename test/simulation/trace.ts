/* The report about a scenario: a log of events, the violations, and the command that replays it. */
import { violationsIn } from './check/index.ts';
import type { History } from './history.ts';
import { sketchOf } from './scenario.ts';

/** The number of characters after which a line is cut. */
const WIDTH = 180;

/** Returns the trace of a scenario, its violations, and the command that replays it. */
export function reportOf(history: History): string {
  const violations = violationsIn(history).map(({ invariant, what }) => `Violated: ${invariant}\n  ${what}`);
  const verdict = violations.length === 0 ? ['This scenario does not violate an invariant.'] : violations;
  return [...traceOf(history), '', ...verdict, '', 'Replay it with', `  ${replayCommand(history)}`].join('\n');
}

/** Returns the trace of a scenario as lines of a log: seconds, who, the number of the effect, and what happened. */
export function traceOf({ trace }: History): string[] {
  return trace
    .filter(({ text }) => text !== 'timer')
    .map(({ at, who, effect, text }) => {
      const number = effect === 0 ? '' : `#${effect}`;
      const head = `${(at / 1_000).toFixed(3).padStart(10)} ${who.padEnd(7)} ${number.padStart(5)} `;
      const lines = text.split('\n').map((line) => (line.length > WIDTH ? `${line.slice(0, WIDTH)}…` : line));
      return head + lines.join(`\n${' '.repeat(head.length)}`);
    });
}

/** Returns the command that replays a scenario. */
export function replayCommand({ scenario }: Pick<History, 'scenario'>): string {
  return `npm run simulate -- --replay '${JSON.stringify(sketchOf(scenario)).replaceAll("'", String.raw`\u0027`)}'`;
}
