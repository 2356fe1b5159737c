import { describe, expect, it } from 'vitest';
import { annotate } from '../../../src/report/annotations.ts';
import type { Ending } from '../../../src/report/ending.ts';
import { fakeWorld } from '../../support/world.ts';

const ending = (level: Ending['level'], about: string, fields: Partial<Ending> = {}): Ending => {
  return { level, line: `${about} ended.`, advice: ['Look.', ''], about, ...fields };
};
const many = (level: Ending['level'], count: number): Ending[] =>
  Array.from({ length: count }, (_, nth) => ending(level, `${level} ${nth}`));
const labels = (level: Ending['level'], count: number) => many(level, count).map(({ about = '' }) => about);

function annotated(endings: readonly Ending[]) {
  const fake = fakeWorld();
  annotate(fake.world, endings);
  return { annotations: fake.annotations, log: fake.log };
}

describe('the annotations of runs', () => {
  it('are sorted by level, with runs that may exist first', () => {
    const { annotations } = annotated([
      ending('warning', 'a'),
      ending('error', 'consequence', { rank: 2 }),
      ending('error', 'failed', { rank: 1 }),
      ending('error', 'lost', { rank: 0 }),
    ]);
    expect(annotations.map(({ title }) => title)).toEqual(
      ['lost', 'failed', 'consequence', 'a'].map((about) => `run-pipeline: ${about}`),
    );
    expect(annotations[0]).toEqual({ level: 'error', title: 'run-pipeline: lost', message: 'lost ended.\nLook.' });
  });

  it('are at most eight, the last of which counts the problems that only the log shows', () => {
    const { annotations, log } = annotated([...many('warning', 30), ...many('none', 2), ...many('error', 500)]);
    expect(annotations).toHaveLength(8);
    expect(annotations.at(-1)?.title).toBe('run-pipeline: 523 more problems');
    expect(annotations.at(-1)?.message).toMatch(/^523 more problems .*error 7, .* and 518 more\)\. See the log/);
    expect([log.length, log[0], log.at(-1)]).toEqual([525, 'error 7 ended. Look.', 'none 1 ended. Look.']);
  });

  it('do not include a count of further problems if all problems fit', () => {
    expect(annotated(many('error', 8)).annotations.map(({ title }) => title)).not.toContain(
      'run-pipeline: 1 more problems',
    );
  });

  it.each<[string, number, number, readonly string[], number]>([
    ['never count or name notices among the problems', 11, 11, [...labels('error', 7), '4 more problems'], 15],
    ['leave no place for notices beside eight problems', 8, 3, labels('error', 8), 3],
    ['show as many notices as there is room for', 2, 11, [...labels('error', 2), ...labels('notice', 6)], 5],
    ['summarize no notices', 0, 11, labels('notice', 8), 3],
  ])('%s', (_, problems, notices, titles, printed) => {
    const { annotations, log } = annotated([...many('notice', notices), ...many('error', problems)]);
    expect(annotations.map(({ title }) => title)).toEqual(titles.map((title) => `run-pipeline: ${title}`));
    expect(annotations.map(({ message }) => message).join()).not.toMatch(/need attention.*notice/);
    expect(log).toHaveLength(printed);
  });

  it('include a warning in the last one if more runs may exist', () => {
    const { annotations } = annotated(many('error', 9).map((each) => ({ ...each, rank: 0 })));
    expect(annotations.at(-1)?.message).toContain('Some of these runs may still be running.');
  });

  it('count problems that share a title', () => {
    const { annotations } = annotated(many('error', 20).map((each) => ({ ...each, about: 'nothing was triggered' })));
    expect(annotations.at(-1)).toMatchObject({ message: '13 more problems need attention. See the log.' });
  });

  it('contain no workflow commands or escape sequences', () => {
    const hostile = '::error::\u001B[31mINJECTED\u2028##[group]x';
    const { annotations, log } = annotated([ending('error', hostile), ending('none', hostile)]);
    for (const text of [annotations[0]?.message ?? '', log[0] ?? '']) {
      expect(text).toContain('INJECTED');
      expect(text).not.toMatch(/^\s*::|##\[|(?!\n)[\p{Cc}\u2028]/u);
    }
  });
});
