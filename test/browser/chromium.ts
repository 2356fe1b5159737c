import { existsSync } from 'node:fs';
import { type Browser, type BrowserContext, chromium } from 'playwright-core';

/** Where Debian's package puts it; elsewhere CHROMIUM says where it is. */
const EXECUTABLE = process.env['CHROMIUM'] ?? '/usr/bin/chromium';

/** As few services of its own as can be: it shows pages of ours, without a network. */
const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** @throws when there is no Chromium on this machine. */
export async function startChromium(): Promise<Browser> {
  if (!existsSync(EXECUTABLE)) {
    throw new Error(
      `There is no ${EXECUTABLE}. Install Chromium (on Debian: apt-get install chromium), or set CHROMIUM.`,
    );
  }
  return chromium.launch({ executablePath: EXECUTABLE, args: FLAGS });
}

/** What a page tried to load; a summary loads nothing. */
export interface Sealed {
  readonly context: BrowserContext;
  readonly requests: readonly string[];
}

/** A window as wide as GitHub's page of a workflow run, somewhere else than UTC, and cut off from everything. */
export async function sealedWindow(browser: Browser): Promise<Sealed> {
  const requests: string[] = [];
  const context = await browser.newContext({
    viewport: { width: 1_012, height: 800 },
    timezoneId: 'Asia/Kolkata',
    locale: 'en-GB',
  });
  await context.route('**', async (route) => {
    requests.push(route.request().url());
    await route.abort();
  });
  return { context, requests };
}
