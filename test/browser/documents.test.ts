// Tests that GitHub can draw the diagrams in the documents.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { MISSING, openSummary, startChromium } from './browser.ts';

let browser: Browser | undefined;
beforeAll(async () => {
  if (MISSING === undefined) browser = await startChromium();
});
afterAll(() => browser?.close());
beforeEach(({ skip }) => skip(MISSING !== undefined, MISSING));

it('each diagram in docs/architecture.md is drawn with its labels', async () => {
  if (browser === undefined) throw new Error('Chromium has not started.');
  const page = readFileSync(join(import.meta.dirname, '../../docs/architecture.md'), 'utf8');
  const markdown = (page.match(/```mermaid\n[\s\S]*?```/g) ?? []).join('\n\n');
  const { charts, text } = await openSummary(browser, { markdown, picture: 'architecture', zone: 'UTC' });
  expect(charts.map(({ width }) => width > 100)).toEqual([true, true]);
  expect(text).toContain('the intent is saved');
  expect(text).toContain('exchange, list, trigger, read, cancel');
});
