// Tests that the issue forms follow GitHub's syntax and ask about the promises in the README.
import { globSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { read, root } from './documents.ts';

interface Form {
  readonly name: string;
  readonly description: string;
  readonly body: readonly {
    readonly type: string;
    readonly id?: string;
    readonly attributes: Readonly<Record<string, unknown>>;
  }[];
}

const formAt = (path: string): Form => parse(read(path)) as Form;
const forms = globSync('.github/ISSUE_TEMPLATE/*.yml', { cwd: root }).map((path) => path.replaceAll('\\', '/'));

/** The attribute that GitHub requires for each type of field. */
const REQUIRED: Readonly<Record<string, string>> = {
  markdown: 'value',
  input: 'label',
  textarea: 'label',
  dropdown: 'options',
};

describe.each(forms.filter((path) => !path.endsWith('/config.yml')))('the issue form %s', (path) => {
  it('has a name, a description, and valid fields with ids', () => {
    const { name, description, body } = formAt(path);
    for (const text of [name, description]) expect(text).toMatch(/^\w/);
    for (const { type, attributes } of body) expect(attributes).toHaveProperty(REQUIRED[type] ?? 'a known type');
    const ids = body.filter(({ type }) => type !== 'markdown').map(({ id }) => id);
    expect(ids.length).toBeGreaterThan(0);
    expect(new Set(ids.filter((id) => id !== undefined)).size).toBe(ids.length);
  });
});

describe('the form for bugs', () => {
  it('asks about broken promises in the words of the README', () => {
    const { body } = formAt('.github/ISSUE_TEMPLATE/bug.yml');
    const options = body.find(({ id }) => id === 'promise')?.attributes['options'] as readonly string[];
    const promises = [...read('README.md').matchAll(/^- \*\*Never (.*?)\.\*\*/gm)].map(([, promise = '']) => promise);
    expect(promises).toHaveLength(3);
    expect(options.slice(1, 4).map((each) => each.toLowerCase())).toEqual(promises.map((each) => each.toLowerCase()));
  });
});
