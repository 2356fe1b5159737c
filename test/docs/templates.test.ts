import { globSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { read, root } from './documents.ts';

interface Form {
  readonly name: string;
  readonly description: string;
  readonly body: readonly Field[];
}

interface Field {
  readonly type: string;
  readonly id?: string;
  readonly attributes: Readonly<Record<string, unknown>>;
}

const forms = globSync('.github/ISSUE_TEMPLATE/*.yml', { cwd: root })
  .map((path) => path.replaceAll('\\', '/'))
  .filter((path) => !path.endsWith('/config.yml'));

/** What GitHub's syntax for issue forms asks of each kind of field. */
const NEEDED: Readonly<Record<string, string>> = {
  markdown: 'value',
  input: 'label',
  textarea: 'label',
  dropdown: 'options',
};

describe.each(forms)('the issue form %s', (path) => {
  const form = parse(read(path)) as Form;

  it('has a name, a description and fields', () => {
    expect(form.name).toMatch(/^\w/);
    expect(form.description).toMatch(/^\w/);
    expect(form.body.length).toBeGreaterThan(0);
  });

  it('has fields as GitHub takes them, each with an id of its own', () => {
    for (const { type, attributes } of form.body) expect(attributes).toHaveProperty(NEEDED[type] ?? 'a type');
    const ids = form.body.filter(({ type }) => type !== 'markdown').map(({ id }) => id);
    expect(ids).not.toContain(undefined);
    expect(new Set(ids).size).toBe(ids.length);
  });
});

describe('the form for what goes wrong', () => {
  const form = parse(read('.github/ISSUE_TEMPLATE/bug.yml')) as Form;

  it('asks which promise was broken, in the words of the README', () => {
    const options = form.body.find(({ id }) => id === 'promise')?.attributes['options'] as readonly string[];
    const promises = [...read('README.md').matchAll(/^- \*\*Never (.*?)\.\*\*/gm)].map(([, promise = '']) => promise);
    expect(promises).toHaveLength(3);
    const words = options.slice(1).map((option) => option.toLowerCase());
    for (const [index, promise] of promises.entries()) {
      expect(words[index]).toBe(promise.toLowerCase());
    }
  });
});
