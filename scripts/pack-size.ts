import { archive, archivedFiles } from './archive.ts';
import { entries } from './entries.ts';

/** Every job that uses the action downloads the archive, so it may contain only what a runner needs. */
const MAX_BYTES = 150 * 1_024;

const ALLOWED = /^(?:(?:cancel\/)?action\.yml|dist\/.+|LICENSE|README\.md|SECURITY\.md)$/;

const REQUIRED = [
  'LICENSE',
  'action.yml',
  'cancel/action.yml',
  'dist/index.js',
  ...entries.map((name) => `dist/${name}.js`),
];

const bytes = archive().length;
const files = archivedFiles();
const problems = [
  ...(bytes > MAX_BYTES ? [`The archive exceeds ${String(MAX_BYTES)} bytes.`] : []),
  ...files
    .filter((name) => !ALLOWED.test(name))
    .map((name) => `Runners do not need ${name}. Exclude it in .gitattributes.`),
  ...REQUIRED.filter((name) => !files.includes(name)).map((name) => `${name} is missing.`),
];
console.log(`Runners download ${String(bytes)} bytes, ${String(files.length)} files:\n${files.join('\n')}`);
for (const problem of problems) console.error(problem);
process.exitCode = problems.length === 0 ? 0 : 1;
