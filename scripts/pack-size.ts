import { archive, archivedFiles } from './archive.ts';

/** Each job of everybody downloads it: what a runner needs, and this many bytes at most. */
const LARGEST = 150 * 1_024;

/** All that may be in it. */
const NEEDED = /^(?:(?:cancel\/)?action\.yml|dist\/.+|LICENSE|README\.md|SECURITY\.md)$/;

/** Without these it is of no use. */
const MUST_HAVES = ['LICENSE', 'action.yml', 'cancel/action.yml', 'dist/main/index.js', 'dist/post/index.js'];

const bytes = archive().length;
const files = archivedFiles();
const complaints = [
  ...(bytes > LARGEST ? [`It may have ${String(LARGEST)} bytes at most.`] : []),
  ...files.filter((name) => !NEEDED.test(name)).map((name) => `No job needs ${name}: see .gitattributes.`),
  ...MUST_HAVES.filter((name) => !files.includes(name)).map((name) => `${name} is missing.`),
];
console.log(`Runners download ${String(bytes)} bytes, ${String(files.length)} files:\n${files.join('\n')}`);
for (const complaint of complaints) console.error(complaint);
process.exitCode = complaints.length === 0 ? 0 : 1;
