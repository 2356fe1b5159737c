// Tests that the README, other documents and the issue forms agree with the code and with each other.
import { spawnSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { OUTCOMES, worstStatus } from '../../src/run/outcome.ts';
import { planned, queued, seen } from '../../src/run/state.ts';
import { FINAL_STATUSES } from '../../src/service/statuses.ts';
import { codeIn, documentAt, documents, read, root, section } from './documents.ts';

const readme = documentAt('README.md');

/** The source of every text that the action can print, and the snapshots of its texts. */
const texts = globSync(['test/unit/**/*.txt', 'src/**/*.ts'], { cwd: root })
  .map((path) => read(path.replaceAll('\\', '/')))
  .join('\n')
  .replace(/\s+/g, ' ');

/** Returns the groups of three words in a message. `…` stands for any text, and the source adds names of inputs. */
function groupsIn(message: string): readonly string[] {
  const parts = message.replace(/^.*?\binput [\w-]+ /i, '').split(/ ?[^ ]*…[^ ]* ?/);
  return parts.flatMap((part) => {
    const words = part.split(' ').filter((word) => word !== '');
    const groups = words.slice(2).map((_, index) => words.slice(index, index + 3).join(' '));
    return groups.length > 0 ? groups : words.length > 0 ? [words.join(' ')] : [];
  });
}

describe('README.md', () => {
  const [introduction = ''] = readme.text.split('\n## ');
  const [step] = readme.blocks;

  it.each([
    ['a step', step?.text],
    ['a picture of the job summary', '](docs/images/summary.png)'],
    ['a link to the limits', 'docs/limits.md'],
  ])('contains %s before its first section', (_, text) => {
    expect(introduction).toContain(text);
  });

  it('makes three promises before its first section', () => {
    expect(introduction.match(/^- \*\*Never .*\*\*/gm)).toHaveLength(3);
  });

  it('contains a first step of at most seven lines', () => {
    expect(step?.text.split('\n').length).toBeLessThan(9);
  });

  it.each(OUTCOMES)('explains the outcome %s', (outcome) => {
    expect(section(readme, 'Outputs')).toContain(`| \`${outcome}\` |`);
  });

  it('shows contributors how to run the demo and the tests', () => {
    expect(section(readme, 'For contributors').slice(0, 300)).toContain('npm ci && npm run demo\nnpm ci && npm test\n');
  });

  it.each(['demo', 'test', 'build'])(
    'relies on the command %s, which says what is missing if Node cannot run TypeScript',
    (name) => {
      const { scripts } = JSON.parse(read('package.json')) as { readonly scripts: Readonly<Record<string, string>> };
      const [check = '', rest] = (scripts[name] ?? '').split(' && ');
      expect(rest).toBeDefined();
      const [, file = ''] = check.split(' ');
      const { status, stderr } = spawnSync(process.execPath, ['--no-experimental-strip-types', join(root, file)], {
        encoding: 'utf8',
      });
      expect(stderr).toMatch(/^This command needs Node 24, .*ignore-scripts=true; run "npm rebuild node .*\.\n$/);
      expect(status).toBe(1);
    },
  );

  it('has fewer than 7,400 bytes without its generated tables', () => {
    const written = readme.text.replace(/<!-- (?:in|out)puts -->[\s\S]*?<!-- end -->/g, '');
    expect(Buffer.byteLength(written)).toBeLessThan(7_400);
  });
});

it('docs/using.md ranks all final statuses and the outcomes of runs from worst to best, as the code does', () => {
  const lists = read('docs/using.md').matchAll(/From worst to best, these are ([^.]*)\./g);
  const ranked = [...lists].map(([, list = '']) => [...list.matchAll(/`(\w+)`/g)].map(([, value]) => value));
  const runs = FINAL_STATUSES.map((status) => seen({ status, message: '' }, 0)(queued('', 0)(planned({}))));
  const fromWorst = runs.toSorted((a, b) => (worstStatus([a, b]) === a.status ? -1 : 1)).map(({ status }) => status);
  const outcomes = OUTCOMES.filter((each) => each !== 'not_triggered' && each !== 'dry_run');
  expect(ranked).toEqual([outcomes, ['unknown', ...fromWorst]]);
});

const troubleshooting = documentAt('docs/troubleshooting.md');
const headings = [...troubleshooting.prose.matchAll(/^### (.*)$/gm)].map(([, heading = '']) => heading);
/** The messages in the lines `Also: …` below headings. */
const aliases = [...troubleshooting.prose.matchAll(/^Also: .*(?:\n.+)*/gm)].flatMap(
  ([list]) => list.match(/`[^`]*`/g) ?? [],
);
const explained = [...headings, ...aliases];

describe('docs/troubleshooting.md', () => {
  it('explains more than 50 messages, each only once', () => {
    expect(explained.length).toBeGreaterThan(50);
    expect(new Set(explained).size).toBe(explained.length);
  });

  it.each(explained)('explains %s, which the action can print', (text) => {
    const message = codeIn(text) ?? 'The heading must be code.';
    const groups = groupsIn(message);
    expect(groups).not.toEqual([]);
    expect(groups.filter((words) => !texts.includes(words))).toEqual([]);
  });

  it('begins with a list of its sections', () => {
    const parts = [...troubleshooting.prose.matchAll(/^## (.*)$/gm)].map(([, part = '']) => part);
    const listed = [...troubleshooting.prose.matchAll(/^- \[([^\]]*)\]\(#/gm)].map(([, part = '']) => part);
    expect(listed).toEqual(parts);
  });
});

it('the examples name the newest release in the changelog, or no version if nothing has been released', () => {
  const comments = documents.flatMap(
    ({ text }) => text.match(/(?<=uses: OWNER\/run-pipeline(?:\/cancel)?@FULL_HASH).*/g) ?? [],
  );
  // Only a release has a date.
  const [, newest] = /^## (\d+\.\d+\.\d+) \(\d{4}-/m.exec(read('CHANGELOG.md')) ?? [];
  expect([...new Set(comments)]).toEqual([newest === undefined ? '' : ` # v${newest}`]);
});

interface Form {
  readonly name: string;
  readonly description: string;
  readonly body: readonly {
    readonly type: string;
    readonly id?: string;
    readonly attributes: Record<string, unknown>;
  }[];
}

/** The attribute that GitHub requires for each type of field. */
const REQUIRED = new Map(Object.entries({ markdown: 'value', input: 'label', textarea: 'label', dropdown: 'options' }));

const forms = globSync('.github/ISSUE_TEMPLATE/*.yml', { cwd: root }).filter((path) => !path.endsWith('config.yml'));

it.each(forms)('the issue form %s has a name, a description, and valid fields with unique ids', (path) => {
  const { name, description, body } = parse(read(path)) as Form;
  for (const text of [name, description]) expect(text).toMatch(/^\w/);
  for (const { type, attributes } of body) expect(attributes).toHaveProperty(REQUIRED.get(type) ?? 'a known type');
  const ids = body.flatMap(({ id }) => id ?? []);
  expect(new Set(ids).size).toBe(ids.length);
});

it("the issue form for bugs lists the README's promises word for word", () => {
  const { body } = parse(read('.github/ISSUE_TEMPLATE/bug.yml')) as Form;
  const options = body.find(({ id }) => id === 'promise')?.attributes['options'] as readonly string[];
  const promises = [...readme.text.matchAll(/^- \*\*Never (.*?)\.\*\*/gm)].map(([, promise = '']) => promise);
  expect(options.slice(1, 4).map((each) => each.toLowerCase())).toEqual(promises.map((each) => each.toLowerCase()));
});
