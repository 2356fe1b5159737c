import { readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = join(import.meta.dirname, '..', '..', 'src');
const files = readdirSync(root, { recursive: true, encoding: 'utf8' })
  .map((file) => file.replaceAll('\\', '/'))
  .filter((file) => file.endsWith('.ts'));

/** The code of a file, without comments. */
function codeOf(file: string): string {
  const text = readFileSync(join(root, file), 'utf8');
  return text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/^\s*\/\/.*$/gm, '');
}

/** What a file imports: paths within src, or names of packages. */
function importsOf(file: string): string[] {
  const found = codeOf(file).matchAll(/(?:from|import)\s*\(?\s*'([^']+)'/g);
  return [...found].map(([, name = '']) =>
    name.startsWith('.') ? posix.normalize(posix.join(posix.dirname(file), name)) : name,
  );
}

/** Every file that a file reaches through its imports. */
function reachedFrom(file: string, seen = new Set<string>()): Set<string> {
  for (const next of importsOf(file)) {
    if (!files.includes(next) || seen.has(next)) continue;
    seen.add(next);
    reachedFrom(next, seen);
  }
  return seen;
}

/** The files that may touch what is outside: the entries, the maker of the real world, and the network. */
const OUTSIDE = ['main.ts', 'post.ts', 'cancel.ts', 'early.ts', 'real-world.ts', 'service/http.ts'];

/** For each folder, what its files may import besides each other. */
const ALLOWED: Readonly<Record<string, RegExp>> = {
  base: /^$/,
  service: /^base\//,
  run: /^(?:base\/|service\/(?:api|problem|session|statuses)\.ts$)/,
  report: /^(?:base\/|run\/|world\.ts$|service\/(?:api|problem|session|statuses)\.ts$)/,
  action: /^(?:base\/|run\/|report\/|world\.ts$|service\/(?!http\.ts|send\.ts))/,
};

describe('the borders of src', () => {
  it.each(Object.entries(ALLOWED))('%s/ imports only what it may know', (folder, allowed) => {
    const own = files.filter((file) => file.startsWith(`${folder}/`));
    const forbidden = own.flatMap((file) =>
      importsOf(file)
        .filter((name) => files.includes(name) && !name.startsWith(`${folder}/`) && !allowed.test(name))
        .map((name) => `${file} imports ${name}`),
    );
    expect(own.length).toBeGreaterThan(3);
    expect(forbidden).toEqual([]);
  });

  it('knows no file below the entries that touches what is outside', () => {
    const outside =
      /\b(?:process\.(?!ts')\w|Date\.now|new Date\(\)|Math\.random|performance\.|setTimeout|setInterval|setImmediate|globalThis|fetch\()/;
    const modules =
      /^(?:node:(?:fs|http|https|net|tls|dns|os|child_process|timers|worker_threads|process)(?:\/.*)?|@actions\/.*)$/;
    const touching = files
      .filter((file) => !OUTSIDE.includes(file))
      .flatMap((file) => {
        const call = outside.exec(codeOf(file))?.[0];
        // Types are erased, and these functions only compute.
        const harmless = /import (?:type [^;]*|\{ BlockList, isIP \} from 'node:net');/g;
        const code = codeOf(file).replace(harmless, '');
        const imported = [...code.matchAll(/(?:from|import)\s*\(?\s*'([^']+)'/g)].filter(([, name = '']) =>
          modules.test(name),
        );
        return [...(call === undefined ? [] : [call]), ...imported.map(([, name]) => name)].map(
          (what) => `${file}: ${what}`,
        );
      });
    expect(touching).toEqual([]);
  });

  it('loads HTTP only on demand', () => {
    const statically = files.filter((file) =>
      /from '[^']*\/http\.ts'/.test(codeOf(file).replace(/import type [^;]*;/g, '')),
    );
    expect(statically).toEqual([]);
    expect(codeOf('real-world.ts')).toContain("await import('./service/http.ts')");
  });

  it('lets the post step reach settling, but no code that triggers', () => {
    const reached = reachedFrom('action/post-step.ts');
    expect([...reached]).toContain('run/settle.ts');
    expect([...reached].filter((file) => /^run\/(?:trigger|carry-out|step)\.ts$/.test(file))).toEqual([]);
  });

  it('has no circle of imports', () => {
    // Types are erased, so only values can form a circle.
    const valuesOf = (file: string): string[] =>
      [
        ...codeOf(file)
          .replace(/import type [^;]*;/g, '')
          .matchAll(/from '(\.[^']+)'/g),
      ].map(([, name = '']) => posix.normalize(posix.join(posix.dirname(file), name)));
    const reaches = (from: string, to: string, seen = new Set<string>()): boolean =>
      valuesOf(from).some((next) => {
        if (next === to) return true;
        if (seen.has(next)) return false;
        seen.add(next);
        return reaches(next, to, seen);
      });
    expect(files.filter((file) => reaches(file, file))).toEqual([]);
  });
});
