// Tests how scripts change and compare the version in every file that contains it.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { differences, setVersion, versionOf } from '../../../scripts/versions.ts';

const LOCK = {
  name: 'x',
  version: '1.2.3',
  packages: { '': { name: 'x', version: '1.2.3' }, 'node_modules/y': { version: '1.2.3' } },
};
const FILES = {
  'package.json': `${JSON.stringify({ name: 'x', version: '1.2.3', dependencies: { y: '1.2.3' } }, undefined, 2)}\n`,
  'package-lock.json': `${JSON.stringify(LOCK, undefined, 2)}\n`,
  'src/base/version.ts': "export const VERSION = '1.2.3';\n",
  'CHANGELOG.md': '# Changes\n\n## Unreleased\n\nMore of it.\n\n## 1.2.3 (2026-01-02)\n\nSome of it.\n',
};

/** Creates a folder with FILES, some of them changed. `read` returns the text of a file. */
function project(changes: Partial<Record<keyof typeof FILES, string>> = {}) {
  const root = mkdtempSync(join(tmpdir(), 'release-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  for (const [name, text] of Object.entries({ ...FILES, ...changes })) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), text);
  }
  return { root, read: (name: keyof typeof FILES) => readFileSync(join(root, name), 'utf8') };
}

describe('a new version', () => {
  it("replaces the project's old version in every file, but not the same version of a dependency", () => {
    const { root, read } = project();
    setVersion(root, '1.10.0', '2026-11-21');
    expect([versionOf(root), differences(root, '1.10.0')]).toEqual(['1.10.0', []]);
    expect(read('package.json')).toContain('"y": "1.2.3"');
    expect(read('package-lock.json').match(/1\.2\.3/g)).toHaveLength(1);
    expect(read('CHANGELOG.md')).toContain('## Unreleased\n\n## 1.10.0 (2026-11-21)\n\nMore of it.\n\n## 1.2.3');
  });

  it.each(['1.2.3', '1.2.2', '0.9.9', 'v1.2.4', '1.2', '1.2.4-rc.1', '01.3.0', ''])('cannot be %j', (version) => {
    const { root } = project();
    expect(() => setVersion(root, version, '2026-11-21')).toThrow(version);
    expect(differences(root, '1.2.3')).toEqual([]);
  });

  it('does not match a file that contains another version', () => {
    const { root } = project({ 'src/base/version.ts': "export const VERSION = '1.2.2';\n" });
    expect(differences(root, '1.2.3')).toEqual(['src/base/version.ts contains 1.2.2, not 1.2.3.']);
  });

  it('does not match any file if all files contain another version', () => {
    expect(differences(project().root, '1.2.4')).toHaveLength(4);
  });
});
