// Tests that docs/troubleshooting.md explains the action's messages, and only those.
import { describe, expect, it } from 'vitest';
import { OUTCOMES } from '../../src/run/state/outcome.ts';
import { linesOf } from '../matrix/error-texts/table.ts';
import { codeIn, documentAt, read, section, tableIn } from './documents.ts';

const page = documentAt('docs/troubleshooting.md');
const headings = [...page.prose.matchAll(/^### (.*)$/gm)].map(([, heading = '']) => heading);

/** All texts, except those of the entry point, which runs on import. */
const SHOWN = [...linesOf('error-texts.txt'), ...linesOf('fault-texts.txt'), ...read('src/main.ts').split('\n')];

/** A message on the page as a pattern: `…` stands for any text within a line. */
function pattern(message: string): RegExp {
  const parts = message.split('…').map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(parts.join('.+'));
}

describe('docs/troubleshooting.md', () => {
  it('explains many messages without duplicates', () => {
    expect(headings.length).toBeGreaterThan(50);
    expect(new Set(headings).size).toBe(headings.length);
  });

  it.each(headings)('explains a message that the action can show: %s', (heading) => {
    const message = codeIn(heading);
    expect(message).toBeDefined();
    expect(SHOWN.filter((text) => pattern(message ?? '').test(text))).not.toEqual([]);
  });

  it('states for each outcome whether a run is in progress', () => {
    const rows = tableIn(section(page, 'Troubleshooting'));
    const named = rows.flatMap(([cell = '']) => cell.split(', ').map(codeIn));
    expect([...named].sort()).toEqual([...OUTCOMES].sort());
  });

  it('begins with a list of its sections', () => {
    const parts = [...page.prose.matchAll(/^## (.*)$/gm)].map(([, part = '']) => part);
    const listed = [...page.prose.matchAll(/^- \[([^\]]*)\]\(#/gm)].map(([, part = '']) => part);
    expect(listed).toEqual(parts);
  });
});
