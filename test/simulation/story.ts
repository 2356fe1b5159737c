/* Prints the history of a scenario as a log. */
import type { History } from './history.ts';
import { sketchOf } from './scenario.ts';

/** Returns the story of a scenario, line by line. */
export function storyOf({ story }: History): string[] {
  return story
    .filter(({ text }) => text !== 'timer')
    .map(({ at, who, effect, text }) => {
      const number = effect === 0 ? '' : `#${effect}`;
      const [first = '', ...rest] = text.split('\n');
      const head = `${(at / 1_000).toFixed(3).padStart(10)} ${who.padEnd(7)} ${number.padStart(5)} `;
      return [head + first, ...rest.map((line) => `${' '.repeat(head.length)}${line}`)].join('\n');
    });
}

/** Returns the command that replays a scenario. */
export function replayCommand({ scenario }: Pick<History, 'scenario'>): string {
  return `npm run simulate -- --replay '${JSON.stringify(sketchOf(scenario)).replaceAll("'", String.raw`\u0027`)}'`;
}
