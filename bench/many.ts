/** `npm run bench:many`: measures the bundle in dist with 1, 10, 100 and 500 runs in one step. */
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { figuresOf } from './many/figures.ts';
import { play } from './many/play.ts';
import { plot } from './many/plot.ts';
import { table, verdict } from './many/table.ts';

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '1,10,100,500' },
    // The poll interval in seconds. The real service requires at least 30. A shorter one puts more load on the action.
    interval: { type: 'string', default: '5' },
    // The SVG file that will contain the charts.
    plot: { type: 'string' },
  },
});

const all = [];
for (const count of values.runs.split(',').map(Number)) {
  process.stderr.write(`${count} runs, read every ${values.interval} s …\n`);
  all.push(figuresOf(await play(count, Number(values.interval) * 1_000)));
}
const { ok, text } = verdict(all);
console.log(`${table(all)}\n\n${text}`);
if (values.plot !== undefined) writeFileSync(values.plot, plot(all));
process.exitCode = ok ? 0 : 1;
