import type { Figures } from './figures.ts';

/** A chart of one figure against the number of runs. */
interface Panel {
  readonly title: string;
  readonly of: (figures: Figures) => number;
  readonly digits: number;
}

const PANELS: readonly Panel[] = [
  { title: 'Requests per minute', of: ({ requestsPerMinute }) => requestsPerMinute, digits: 0 },
  { title: 'CPU time (s)', of: ({ cpuMs }) => cpuMs / 1_000, digits: 1 },
  { title: 'Peak memory (MiB)', of: ({ peakMiB }) => peakMiB, digits: 0 },
  { title: 'Longest delay until an end is seen (intervals)', of: ({ latest }) => latest, digits: 2 },
];

/** The size of a panel and the margins of its chart, in pixels. */
const [WIDTH, HEIGHT, LEFT, TOP, BOTTOM] = [340, 220, 52, 36, 36];
const [INNER, TALL] = [WIDTH - LEFT - 24, HEIGHT - TOP - BOTTOM];

/** Draws the figures as SVG. Both axes start at zero, so proportional growth is a straight line through the origin. */
export function plot(all: readonly Figures[]): string {
  const panels = PANELS.map((panel, index) => {
    const [x, y] = [(index % 2) * WIDTH, Math.floor(index / 2) * HEIGHT];
    return `<g transform="translate(${x} ${y})">\n${draw(panel, all)}\n</g>`;
  });
  const [width, height] = [WIDTH * 2, HEIGHT * 2];
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" font-family="sans-serif" font-size="11">`,
    `<title>Cost of one step by the number of its runs</title>`,
    `<rect width="${width}" height="${height}" fill="#fff"/>`,
    ...panels,
    '</svg>',
    '',
  ].join('\n');
}

function draw({ title, of, digits }: Panel, all: readonly Figures[]): string {
  const most = { runs: Math.max(...all.map(({ runs }) => runs)), value: Math.max(...all.map(of)) * 1.1 };
  const across = (runs: number): string => (LEFT + (runs / most.runs) * INNER).toFixed(1);
  const up = (value: number): string => (TOP + TALL - (value / most.value) * TALL).toFixed(1);
  const points = all.map((figures) => [across(figures.runs), up(of(figures))] as const);
  const grid = [0, 0.5, 1].map((share) => {
    const value = (most.value / 1.1) * share;
    return `<path d="M${LEFT} ${up(value)}h${INNER}" stroke="#ddd"/><text x="${LEFT - 6}" y="${up(value)}" dy="4" text-anchor="end" fill="#555">${value.toFixed(digits)}</text>`;
  });
  const runs = all
    .filter(({ runs: count }) => count === 1 || count >= most.runs / 10)
    .map(({ runs: count }) => {
      return `<text x="${across(count)}" y="${TOP + TALL + 16}" text-anchor="middle" fill="#555">${count}</text>`;
    });
  return [
    `<text x="${LEFT}" y="20" font-weight="bold" fill="#222">${title}</text>`,
    ...grid,
    ...runs,
    `<polyline points="${points.map((point) => point.join(',')).join(' ')}" fill="none" stroke="#0969da" stroke-width="2"/>`,
    ...points.map(([x, y]) => `<circle cx="${x}" cy="${y}" r="3.5" fill="#0969da"/>`),
    `<text x="${LEFT + INNER / 2}" y="${TOP + TALL + 30}" text-anchor="middle" fill="#555">runs in one step</text>`,
  ].join('\n');
}
