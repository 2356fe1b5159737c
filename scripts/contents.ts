import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A bundle: its file under dist/, its contents, and ncc's statistics. */
export interface Bundled {
  readonly file: string;
  readonly code: string;
  readonly stats: unknown;
}

interface Row {
  readonly name: string;
  readonly version: string;
  readonly license: string;
  bytes: number;
  readonly files: Set<string>;
}

const PACKAGE = /^\.\/((?:node_modules\/(?:@[^/]+\/)?|vendor\/)[^/]+)\//;

/**
 * Returns the page that lists the contents of the bundles: each file, and each package with its version, its licence
 * and the size of its modules before bundling.
 *
 * @param root folder of the repository
 */
export function contentsPage(root: string, bundles: readonly Bundled[]): string {
  const rows = new Map<string, Row>();
  for (const { file, stats } of bundles) {
    for (const [module, bytes] of modulesIn(stats)) {
      const folder = PACKAGE.exec(module)?.[1] ?? '.';
      const row = rows.get(folder) ?? { ...describe(root, folder), bytes: 0, files: new Set<string>() };
      rows.set(folder, row);
      row.bytes += bytes;
      row.files.add(file);
    }
  }
  const packages = [...rows.values()].sort((a, b) => b.bytes - a.bytes);
  return [
    '# What is in the bundles',
    '',
    '`npm run build` writes this page, and `npm run check:dist` checks it.',
    'The same sources produce the same bytes on any machine. The build does not minify the code.',
    '',
    ...table(
      ['File', 'Bytes'],
      bundles.map(({ file, code }) => [`\`dist/${file}\``, String(Buffer.byteLength(code))]),
    ),
    '',
    'The size of a package is the total size of its modules before bundling.',
    '',
    ...table(
      ['Package', 'Version', 'Licence', 'Bytes', 'In'],
      packages.map(({ name, version, license, bytes, files }) => {
        return [name, version, license, String(bytes), [...files].sort().join(', ')];
      }),
    ),
    '',
  ].join('\n');
}

/** Returns the size of each module. ncc's statistics list concatenated modules twice. */
function modulesIn(stats: unknown): ReadonlyMap<string, number> {
  const sizes = new Map<string, number>();
  JSON.parse(JSON.stringify(stats), (_, value: unknown) => {
    if (typeof value !== 'object' || value === null || !('name' in value) || !('size' in value)) return value;
    const { name, size } = value;
    if (typeof name !== 'string' || typeof size !== 'number') return value;
    if (/^\.\/[^\s]+\.[cm]?js$/.test(name)) sizes.set(name, size);
    return value;
  });
  return sizes;
}

function describe(root: string, folder: string): Pick<Row, 'name' | 'version' | 'license'> {
  const manifest = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')) as {
    readonly name: string;
    readonly version: string;
    readonly license?: string;
  };
  const { name, version, license = '' } = manifest;
  if (folder === '.') return { name: 'this repository: `src/`', version, license };
  const stub = folder.startsWith('vendor/');
  return stub ? { name: `this repository: \`${folder}/\``, version, license } : { name, version, license };
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): readonly string[] {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)];
}
