import { join } from 'node:path';
import { micromark } from 'micromark';
import { gfm, gfmHtml } from 'micromark-extension-gfm';
import type { BrowserContext, Page } from 'playwright-core';

const MERMAID = join(import.meta.dirname, '../../node_modules/mermaid/dist/mermaid.min.js');

/** About what GitHub's page looks like: its fonts, its tables. */
const STYLE = `
  body { margin: 0; font: 14px/1.5 -apple-system, "Segoe UI", "Noto Sans", "DejaVu Sans", Helvetica, Arial, sans-serif, "Noto Color Emoji"; color: #1f2328; }
  article { padding: 24px 24px 8px; }
  h3 { font-size: 1.25em; margin: 0 0 16px; }
  p, ul { margin: 0 0 16px; }
  table { border-collapse: collapse; margin: 0 0 16px; display: block; overflow: auto; }
  th, td { border: 1px solid #d1d9e0; padding: 6px 13px; }
  tr:nth-child(2n) { background: #f6f8fa; }
  code { font: 85% "DejaVu Sans Mono", monospace; background: #818b981f; padding: .2em .4em; border-radius: 6px; }
  a { color: #0969da; }
  .mermaid { margin: 0 0 16px; }
`;

/**
 * Markdown in GitHub's flavour as HTML. Unlike there, HTML in it is let through: nothing is cleaned away here that
 * a summary must not contain in the first place.
 */
function toHtml(markdown: string): string {
  return micromark(markdown, {
    allowDangerousHtml: true,
    allowDangerousProtocol: true,
    extensions: [gfm()],
    htmlExtensions: [gfmHtml()],
  });
}

/** A box on the page, in pixels. */
export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export type Text = Box & { readonly text: string };

/** What a page shows, as in-page.js reads it off. */
export interface Seen {
  readonly charts: readonly Box[];
  readonly bars: readonly (Box & { readonly classes: string; readonly fill: string })[];
  readonly labels: readonly Text[];
  /** The names of the runs, beside their bars. */
  readonly names: readonly Text[];
  readonly ticks: readonly Text[];
  readonly chartTags: readonly string[];
  /** Outside of the charts. */
  readonly tags: readonly string[];
  readonly rows: readonly (readonly string[])[];
  readonly links: readonly string[];
  readonly text: string;
}

/** Opens a summary in a page of its own, its charts drawn by Mermaid as GitHub has it: in its strict mode. */
export async function openSummary(
  context: BrowserContext,
  markdown: string,
): Promise<{ readonly page: Page; readonly seen: Seen }> {
  const page = await context.newPage();
  await page.setContent(
    `<!doctype html><meta charset="utf-8"><style>${STYLE}</style><article>${toHtml(markdown)}</article>`,
  );
  await page.addScriptTag({ path: MERMAID });
  await page.addScriptTag({ path: join(import.meta.dirname, 'in-page.js') });
  await page.evaluate('drawCharts()');
  return { page, seen: await page.evaluate<Seen>('look()') };
}
