import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const PACKAGE_FOLDER = /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/;
const LICENSE_FILE = /^(?:licen[cs]e|copying|notice)(?:\.(?:md|txt))?$/i;

/** The folders of the packages that a bundle contains, from the statistics (JSON) that ncc writes about it. */
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

/** @throws when the package brings no licence text: then it must not be redistributed unseen. */
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
 * The licences of everything that a bundle contains, in a fixed order. ncc's own `--license` forgets packages
 * that only a chunk contains.
 *
 * @param stats what `ncc --stats-out` wrote for the bundle
 * @throws when a package has no licence file
 */
export function licenses(stats: string): string {
  return packageFolders(stats)
    .map(licenseOf)
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .map(({ text }) => text)
    .join(`\n${'-'.repeat(80)}\n\n`);
}
