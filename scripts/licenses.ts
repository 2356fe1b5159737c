import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const PACKAGE_FOLDER = /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/;
const LICENSE_FILE = /^(?:licen[cs]e|copying|notice)(?:\.(?:md|txt))?$/i;

/** Returns the folders of the packages in a bundle, according to ncc's statistics in JSON. */
function packageFolders(stats: string): readonly string[] {
  const folders = new Set<string>();
  JSON.parse(stats, (key, value: unknown) => {
    if (key !== 'nameForCondition' || typeof value !== 'string') return value;
    const folder = PACKAGE_FOLDER.exec(value.replaceAll('\\', '/'))?.[0];
    if (folder !== undefined) folders.add(folder);
    return value;
  });
  return [...folders];
}

/** @throws if the package contains no licence text, because dist may not redistribute a package without one */
function licenseOf(folder: string): { readonly name: string; readonly text: string } {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    readonly [key: string]: unknown;
  } & { readonly name: string; readonly version: string; readonly license: string };
  const texts = readdirSync(folder)
    .filter((file) => LICENSE_FILE.test(file))
    .sort()
    .map((file) => readFileSync(join(folder, file), 'utf8').replaceAll('\r\n', '\n').trim());
  if (texts.length === 0) throw new Error(`${name} ${version} (${license}) has no licence file`);
  return { name, text: `${name} ${version} (${license})\n\n${texts.join('\n\n')}\n` };
}

/**
 * Returns the licences of all packages in a bundle, in a fixed order. ncc's own `--license` omits packages that only a
 * chunk contains.
 *
 * @param stats ncc's statistics of the bundle
 * @throws if a package has no licence file
 */
export function licenses(stats: string): string {
  return packageFolders(stats)
    .map(licenseOf)
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .map(({ text }) => text)
    .join(`\n${'-'.repeat(80)}\n\n`);
}
