import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { entries } from '../../scripts/entries.ts';

const dist = join(import.meta.dirname, '..', '..', 'dist');

/** undici alone would add more than a megabyte; everything else of ours and of others stays far below this. */
const LARGEST_BUNDLE_BYTES = 400 * 1024;

/** How the bundler heads a module that comes from a package. */
const PACKAGE_HEADER = /^;?\/\/ [A-Z ]+MODULE: \.\/node_modules\/((?:@[^/\s]+\/)?[^/\s]+)\//gm;

function textOf(entry: string, extension: string): string {
  const folder = join(dist, entry);
  const files = readdirSync(folder).filter((file) => file.endsWith(extension));
  return files.map((file) => readFileSync(join(folder, file), 'utf8')).join('\n');
}

function packagesIn(code: string): readonly string[] {
  return [...new Set([...code.matchAll(PACKAGE_HEADER)].flatMap(([, name]) => name ?? []))].sort();
}

describe('the bundles', () => {
  it('are one for each entry, and nothing else', () => {
    expect(readdirSync(dist).sort()).toEqual([...entries].sort());
  });

  it.each(entries)('%s is an ES module without undici', (entry) => {
    const code = textOf(entry, '.js');
    expect(JSON.parse(textOf(entry, 'package.json'))).toEqual({ type: 'module' });
    expect(code.includes('UND_ERR_')).toBe(false);
    expect(Buffer.byteLength(code)).toBeLessThan(LARGEST_BUNDLE_BYTES);
  });

  it.each(entries)('%s brings the licence of every package in it', (entry) => {
    const packages = packagesIn(textOf(entry, '.js'));
    const licensed = [...textOf(entry, 'licenses.txt').matchAll(/^(\S+) \d+\.\d+\.\d+\S* \(.+\)$/gm)];
    expect(packages).toContain('@actions/http-client');
    expect(licensed.map(([, name]) => name)).toEqual(expect.arrayContaining([...packages]));
  });
});
