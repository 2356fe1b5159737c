// Shows job summaries as GitHub does, in Chromium and without network access.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { micromark } from 'micromark';
import { gfm, gfmHtml } from 'micromark-extension-gfm';
import { type Browser, chromium } from 'playwright-core';

/** The path of Chromium, by default the one that Debian's package installs. */
const EXECUTABLE = process.env['CHROMIUM'] ?? '/usr/bin/chromium';
const FLAGS = ['--headless', '--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking'];
const MERMAID = join(import.meta.dirname, 'node_modules/mermaid/dist/mermaid.min.js');
const PICTURES = join(import.meta.dirname, 'pictures');

/** Fonts and tables similar to those of GitHub's page. */
const STYLE = `
  body { margin: 0; color: #1f2328; font: 14px/1.5 "Noto Sans", "DejaVu Sans", sans-serif, "Noto Color Emoji"; }
  article { padding: 24px 24px 8px; }
  table { border-collapse: collapse; display: block; overflow: auto; }
  th, td { border: 1px solid #d1d9e0; padding: 6px 13px; } tr:nth-child(2n) { background: #f6f8fa; } a { color: #0969da; }
`;

/** Why these tests are skipped, unless Chromium is installed. */
export const MISSING =
  process.env['CHROMIUM'] === undefined && !existsSync(EXECUTABLE)
    ? `needs ${EXECUTABLE} (Debian: apt-get install chromium), or another Chromium in the variable CHROMIUM`
    : undefined;

export function startChromium(): Promise<Browser> {
  return chromium.launch({ executablePath: EXECUTABLE, args: FLAGS });
}

/** The position and size of a page element in pixels, and its text. */
export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly text: string;
}

/** The visible content of a page, as in-page.js returns it. */
export interface Seen {
  readonly charts: readonly Box[];
  readonly bars: readonly (Box & { readonly isRed: boolean })[];
  readonly labels: readonly Box[];
  /** The names of the runs beside their bars. */
  readonly names: readonly Box[];
  readonly ticks: readonly Box[];
  readonly chartTags: readonly string[];
  /** The HTML tags outside of the charts. */
  readonly tags: readonly string[];
  readonly rows: readonly (readonly string[])[];
  readonly links: readonly string[];
  readonly text: string;
}

/**
 * Opens a summary in a window as wide as GitHub's workflow run page and saves a screenshot. Unlike GitHub, the page
 * keeps all HTML in the summary so that a test can find it.
 * @throws if the page sends a request
 */
export async function openSummary(
  browser: Browser,
  summary: { readonly markdown: string; readonly picture: string; readonly zone: string },
): Promise<Seen> {
  const context = await browser.newContext({
    viewport: { width: 1_012, height: 800 },
    timezoneId: summary.zone,
    locale: 'en-GB',
  });
  const requests: string[] = [];
  await context.route('**', async (route) => {
    requests.push(route.request().url());
    await route.abort();
  });
  const html = micromark(summary.markdown, {
    allowDangerousHtml: true,
    allowDangerousProtocol: true,
    extensions: [gfm()],
    htmlExtensions: [gfmHtml()],
  });
  const page = await context.newPage();
  await page.setContent(`<!doctype html><meta charset="utf-8"><style>${STYLE}</style><article>${html}</article>`);
  await page.addScriptTag({ path: MERMAID });
  await page.addScriptTag({ path: join(import.meta.dirname, 'in-page.js') });
  await page.evaluate('drawCharts()');
  const seen = await page.evaluate<Seen>('look()');
  await page.locator('article').screenshot({ path: join(PICTURES, `${summary.picture}.png`) });
  await context.close();
  if (requests.length > 0) throw new Error(`The page sent requests: ${requests.join(', ')}`);
  return seen;
}
