import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { differences, isAfter, setVersion, versionOf } from '../../../scripts/versions.ts';

const FILES = {
  'package.json': '{\n  "name": "x",\n  "version": "1.2.3",\n  "dependencies": { "y": "1.2.3" }\n}\n',
  'package-lock.json': `{
  "name": "x",
  "version": "1.2.3",
  "packages": {
    "": { "name": "x", "version": "1.2.3" },
    "node_modules/y": { "version": "1.2.3" }
  }
}
`,
  'src/base/version.ts': "export const VERSION = '1.2.3';\n",
  'CHANGELOG.md': '# Changes\n\n## Unreleased\n\nMore of it.\n\n## 1.2.3 (2026-01-02)\n\nSome of it.\n',
};

function project(changes: Partial<Record<keyof typeof FILES, string>> = {}): string {
  const root = mkdtempSync(join(tmpdir(), 'release-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  for (const [name, text] of Object.entries({ ...FILES, ...changes })) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), text);
  }
  return root;
}

describe('a new version', () => {
  it('is written everywhere, and nowhere else', () => {
    const root = project();
    setVersion(root, '1.10.0', '2026-11-21');
    expect(versionOf(root)).toBe('1.10.0');
    expect(differences(root, '1.10.0')).toEqual([]);
    expect(readFileSync(join(root, 'package.json'), 'utf8')).toContain('"y": "1.2.3"');
    expect(readFileSync(join(root, 'package-lock.json'), 'utf8').match(/1\.2\.3/g)).toHaveLength(1);
    expect(readFileSync(join(root, 'CHANGELOG.md'), 'utf8')).toContain(
      '## Unreleased\n\n## 1.10.0 (2026-11-21)\n\nMore of it.\n\n## 1.2.3',
    );
  });

  it.each(['1.2.3', '1.2.2', '0.9.9', 'v1.2.4', '1.2', '1.2.4-rc.1', '01.3.0', ''])('is not %j', (version) => {
    const root = project();
    expect(() => setVersion(root, version, '2026-11-21')).toThrow(version);
    expect(differences(root, '1.2.3')).toEqual([]);
  });

  it('needs something new', () => {
    const root = project({ 'CHANGELOG.md': '# Changes\n\n## Unreleased\n\n## 1.2.3\n\nSome of it.\n' });
    expect(() => setVersion(root, '1.2.4', '2026-11-21')).toThrow('nothing below');
    expect(versionOf(root)).toBe('1.2.3');
  });
});

describe('a tag', () => {
  it('that the files do not say is refused, with the names of those', () => {
    const root = project({ 'src/base/version.ts': "export const VERSION = '1.2.2';\n" });
    expect(differences(root, '1.2.3')).toEqual(['src/base/version.ts says 1.2.2, not 1.2.3.']);
    expect(differences(root, '1.2.4')).toHaveLength(4);
  });
});

describe('versions', () => {
  it.each([
    ['1.2.4', '1.2.3', true],
    ['1.10.0', '1.9.9', true],
    ['2.0.0', '1.99.99', true],
    ['1.2.3', '1.2.3', false],
    ['1.2.3', '1.3.0', false],
    ['1.2.3', '2.0.0', false],
  ])('%s comes after %s: %s', (version, other, after) => {
    expect(isAfter(version, other)).toBe(after);
  });
});
