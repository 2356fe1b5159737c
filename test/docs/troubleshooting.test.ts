import { beforeAll, describe, expect, it } from 'vitest';
import { OUTCOMES } from '../../src/run/state/outcome.ts';
import { codeIn, documentAt, section, tableIn } from './documents.ts';
import { everythingSaid } from './said.ts';

const page = documentAt('docs/troubleshooting.md');
const headings = [...page.prose.matchAll(/^### (.*)$/gm)].map(([, heading = '']) => heading);

/** A message of the page as a pattern: `…` stands for anything in a line. */
function pattern(message: string): RegExp {
  const parts = message.split('…').map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(parts.join('.+'));
}

describe('troubleshooting', () => {
  let said: readonly string[] = [];
  beforeAll(async () => {
    said = await everythingSaid();
  });

  it('has an entry for many messages, each of them once', () => {
    expect(headings.length).toBeGreaterThan(50);
    expect(new Set(headings).size).toBe(headings.length);
  });

  it.each(headings)('speaks of a message that the action has: %s', (heading) => {
    const message = codeIn(heading);
    if (message === undefined) throw new Error(`The heading "${heading}" is not a message and nothing else.`);
    expect(said.filter((text) => pattern(message).test(text))).not.toEqual([]);
  });

  it('says of each outcome whether a run is going on', () => {
    const rows = tableIn(section(page, 'Troubleshooting'));
    const named = rows.flatMap(([cell = '']) => cell.split(', ').map(codeIn));
    expect([...named].sort()).toEqual([...OUTCOMES].sort());
  });

  it('lists all of its parts above', () => {
    const parts = [...page.prose.matchAll(/^## (.*)$/gm)].map(([, part = '']) => part);
    const listed = [...page.prose.matchAll(/^- \[([^\]]*)\]\(#/gm)].map(([, part = '']) => part);
    expect(listed).toEqual(parts);
  });
});

describe('the pattern of a message', () => {
  it('takes what differs, and nothing else', () => {
    expect(pattern('Run … (it) failed').test('Run 1 of orders (it) failed after 3s')).toBe(true);
    expect(pattern('Run … (it) failed').test('Run it failed')).toBe(false);
    expect(pattern('no answer.').test('no answers')).toBe(false);
  });
});
