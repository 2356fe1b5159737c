// The boundaries between the parts of src: which part may import which.
import { posix } from 'node:path';
import { entries } from '../../scripts/entries.ts';
import { type Import, importsOf } from './imports.ts';

interface Area {
  readonly rule: string;
  readonly files: RegExp;
  /** Whether a file of this area may import `target`: a path in the repository, or the name of a module. */
  readonly mayImport: (target: string, typeOnly: boolean) => boolean;
}

const BUILTIN = /^node:/;
const NETWORK = /^node:(?:http|https|http2|net|tls|dgram|dns|quic)(?:\/|$)/;
const SERVICE_INTERFACE = /^src\/service\/(?:api|statuses)\.ts$/;
const STATUSES = 'src/service/statuses.ts';
/** Composition roots: they may import every part, and nothing else may import them. */
export const COMPOSING = /^src\/[^/]+\.ts$/;
const ENTRIES: ReadonlySet<string> = new Set(entries.map((name) => `src/${name}.ts`));

const local = (target: string): boolean => BUILTIN.test(target) && !NETWORK.test(target);

const areas: readonly Area[] = [
  {
    rule: 'base imports nothing of ours',
    files: /^src\/base\//,
    mayImport: (target) => /^src\/base\//.test(target) || local(target),
  },
  {
    rule: 'service knows neither runs nor GitHub',
    files: /^src\/service\//,
    mayImport: (target) =>
      /^src\/(?:base|service)\//.test(target) || target === '@actions/http-client' || BUILTIN.test(target),
  },
  {
    rule: 'run knows neither HTTP nor GitHub',
    files: /^src\/run\//,
    mayImport: (target) => /^src\/(?:base|run)\//.test(target) || SERVICE_INTERFACE.test(target) || local(target),
  },
  {
    rule: 'action knows no HTTP, and of the service only its interface and the names of its statuses',
    files: /^src\/action\//,
    mayImport: (target, typeOnly) =>
      /^src\/(?:base|run|action)\//.test(target) ||
      (SERVICE_INTERFACE.test(target) && (typeOnly || target === STATUSES)) ||
      target === '@actions/core' ||
      local(target),
  },
  {
    rule: 'what composes takes parts of src, and no entry',
    files: COMPOSING,
    mayImport: (target) =>
      (/^src\//.test(target) && !ENTRIES.has(target)) || /^@actions\//.test(target) || BUILTIN.test(target),
  },
  {
    rule: 'the sandbox knows nothing of the action',
    files: /^sandbox\//,
    mayImport: (target) => /^sandbox\//.test(target) || BUILTIN.test(target),
  },
];

/** Turns relative specifiers into paths in the repository, and keeps the names of modules. */
function targetOf(file: string, specifier: string): string {
  return specifier.startsWith('.') ? posix.join(posix.dirname(file), specifier) : specifier;
}

function violation(area: Area, file: string, { specifier, typeOnly }: Import): string | undefined {
  if (specifier === undefined) return `${file} imports a computed name`;
  const target = targetOf(file, specifier);
  return area.mayImport(target, typeOnly) ? undefined : `${file} imports ${target}: ${area.rule}`;
}

/**
 * The imports in a source file that cross a boundary.
 *
 * @param file the path in the repository, with slashes
 */
export function violations(file: string, source: string): readonly string[] {
  const area = areas.find(({ files }) => files.test(file));
  if (area === undefined) return [`${file} belongs to no part`];
  return importsOf(source).flatMap((one) => violation(area, file, one) ?? []);
}
