import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const CHANGELOG = 'CHANGELOG.md';
const UNRELEASED = '## Unreleased';

/** Exactly `1.2.3`, without a prefix or suffix. */
const VERSION = /^(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)$/;

export function isVersion(text: string): boolean {
  return VERSION.test(text);
}

/** Whether one version is higher than another. */
function isAfter(version: string, other: string): boolean {
  const [numbers, others] = [version, other].map((text) => text.split('.').map(Number));
  const at = (numbers ?? []).findIndex((number, index) => number !== others?.[index]);
  return at >= 0 && (numbers?.[at] ?? 0) > (others?.[at] ?? 0);
}

/** Returns the version in package.json. */
export function versionOf(root: string): string {
  return versionIn(read(root, 'package.json'));
}

/** Returns a sentence about each obstacle to a release of this version, or none if all files agree. */
export function differences(root: string, version: string): readonly string[] {
  const lock = read(root, 'package-lock.json');
  const versions = { 'package.json': versionOf(root), 'package-lock.json': versionIn(lock) };
  const wrong = Object.entries(versions).filter(([, text]) => text !== version);
  return [
    ...wrong.map(([file, text]) => `${file} contains ${text}, not ${version}.`),
    ...(changesOf(root, version) === '' ? [`${CHANGELOG} does not list the changes in ${version}.`] : []),
  ];
}

/**
 * Writes a new version to all files, and puts the unreleased changes of the changelog under a heading with the version
 * and a date (YYYY-MM-DD).
 *
 * @throws if the version is not higher than the current one, or if the changelog lists no changes
 */
export function setVersion(root: string, version: string, date: string): void {
  const current = versionOf(root);
  if (!isVersion(version)) throw new Error(`${version} is not a version such as 1.2.3.`);
  if (!isAfter(version, current)) throw new Error(`${version} does not come after ${current}.`);
  if (changesOf(root, 'Unreleased') === '') {
    throw new Error(`${CHANGELOG} has no entries under "${UNRELEASED}".`);
  }
  edit(root, 'package.json', `"version": "${current}"`, `"version": "${version}"`);
  // The file contains the action's own version twice before the version of any package.
  for (let place = 0; place < 2; place += 1) {
    edit(root, 'package-lock.json', `"version": "${current}"`, `"version": "${version}"`);
  }
  edit(root, CHANGELOG, UNRELEASED, `${UNRELEASED}\n\n## ${version} (${date})`);
}

/** Returns the text under a heading of the changelog, up to the next heading. */
function changesOf(root: string, heading: string): string {
  const sections = read(root, CHANGELOG).split(/^## /m).slice(1);
  const section = sections.find((text) => text.split(/[\s(]/, 1)[0] === heading);
  return section?.split('\n').slice(1).join('\n').trim() ?? '';
}

function versionIn(json: string): string {
  const { version } = JSON.parse(json) as { readonly version?: string };
  return version ?? 'nothing';
}

function read(root: string, file: string): string {
  return readFileSync(join(root, file), 'utf8');
}

function edit(root: string, file: string, from: string, to: string): void {
  const text = read(root, file);
  if (!text.includes(from)) throw new Error(`${file} does not contain ${from}.`);
  writeFileSync(
    join(root, file),
    text.replace(from, () => to),
  );
}
