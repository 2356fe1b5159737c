// docs/troubleshooting.md explains messages of the action, and no other ones.
import { describe, expect, it } from 'vitest';
import { OUTCOMES } from '../../src/run/state/outcome.ts';
import { linesOf } from '../matrix/error-texts/table.ts';
import { codeIn, documentAt, read, section, tableIn } from './documents.ts';

const page = documentAt('docs/troubleshooting.md');
const headings = [...page.prose.matchAll(/^### (.*)$/gm)].map(([, heading = '']) => heading);

/** Every text; the tables lack those of the entry, which runs when a test imports it. */
const SHOWN = [...linesOf('error-texts.txt'), ...linesOf('fault-texts.txt'), ...read('src/main.ts').split('\n')];

/** A message of the page as a pattern: `…` stands for any text in a line. */
function pattern(message: string): RegExp {
  const parts = message.split('…').map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(parts.join('.+'));
}

describe('docs/troubleshooting.md', () => {
  it('explains many messages, each of them once', () => {
    expect(headings.length).toBeGreaterThan(50);
    expect(new Set(headings).size).toBe(headings.length);
  });

  it.each(headings)('explains a message that the action can show: %s', (heading) => {
    const message = codeIn(heading);
    expect(message).toBeDefined();
    expect(SHOWN.filter((text) => pattern(message ?? '').test(text))).not.toEqual([]);
  });

  it('explains for each outcome whether a run is in progress', () => {
    const rows = tableIn(section(page, 'Troubleshooting'));
    const named = rows.flatMap(([cell = '']) => cell.split(', ').map(codeIn));
    expect([...named].sort()).toEqual([...OUTCOMES].sort());
  });

  it('begins with a list of its parts', () => {
    const parts = [...page.prose.matchAll(/^## (.*)$/gm)].map(([, part = '']) => part);
    const listed = [...page.prose.matchAll(/^- \[([^\]]*)\]\(#/gm)].map(([, part = '']) => part);
    expect(listed).toEqual(parts);
  });
});
