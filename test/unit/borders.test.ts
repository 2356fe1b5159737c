// Which folder of `src` may import which, and which files may access the outside world.
import { readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { createSourceFile, type Node, ScriptTarget, SyntaxKind } from 'typescript';
import { describe, expect, it } from 'vitest';

const root = join(import.meta.dirname, '..', '..', 'src');
const files = readdirSync(root, { recursive: true, encoding: 'utf8' })
  .map((file) => file.replaceAll('\\', '/'))
  .filter((file) => file.endsWith('.ts'));

/** An import of a path within src, or of a package. Types are erased, so they load nothing. */
interface Import {
  readonly name: string;
  readonly kind: 'type' | 'value' | 'on demand';
}

/** The code of a file, without comments. */
function codeOf(file: string): string {
  const text = readFileSync(join(root, file), 'utf8');
  return text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/^\s*\/\/.*$/gm, '');
}

function importsOf(file: string): Import[] {
  const found = codeOf(file).matchAll(/(?:^(import|export) (type )?(?:[^;']*? from )?|\bimport\()'([^']+)'/gm);
  return [...found].map(([, statement, type, name = '']) => ({
    name: name.startsWith('.') ? posix.normalize(posix.join(posix.dirname(file), name)) : name,
    kind: statement === undefined ? 'on demand' : type === undefined ? 'value' : 'type',
  }));
}

/** Every file that a file loads, with the imports that lead to it, such as `a.ts → b.ts`. */
function loadedBy(file: string, path = file, seen = new Map<string, string>()): ReadonlyMap<string, string> {
  for (const { kind, name } of importsOf(file)) {
    if (kind === 'type' || seen.has(name) || !files.includes(name)) continue;
    seen.set(name, `${path} → ${name}`);
    loadedBy(name, `${path} → ${name}`, seen);
  }
  return seen;
}

/** For each folder, what its files may import besides each other, and the rule behind it. */
const BORDERS = {
  base: [/^$/, 'base must import no other folder'],
  service: [/^base\//, 'service must not depend on GitHub or runs'],
  run: [/^(?:base\/|service\/(?:api|listing|problem|statuses)\.ts$)/, 'run must not depend on HTTP or GitHub'],
  report: [/^(?:base\/|run\/|world\.ts$|service\/(?:api|problem|statuses)\.ts$)/, 'report must not depend on HTTP'],
  action: [
    /^(?:base\/|run\/|report\/|world\.ts$|service\/(?:api|problem|proxy|statuses)\.ts$)/,
    'action must not depend on HTTP',
  ],
} as const;

/** The files that may access the outside world: the entries, the maker of the real world, and the network. */
const NETWORK = ['service/http.ts', 'service/request.ts', 'service/connect.ts'];
const OUTSIDE = ['main.ts', 'post.ts', 'cancel.ts', 'early.ts', 'real-world.ts', ...NETWORK];
const OUTSIDE_CALLS =
  /\b(?:process\.(?!ts')\w+|Date\.now|new Date\(\)|Math\.random|performance\.\w+|setTimeout|setInterval|setImmediate|AbortSignal\.timeout|crypto\.|globalThis|fetch\()/g;
const OUTSIDE_MODULES =
  /^(?:node:(?:fs|http|https|net|tls|dns|os|child_process|timers|worker_threads|process)(?:\/.*)?|@actions\/.*)$/;
/** These functions only compute. */
const COMPUTES = "import { BlockList, isIP } from 'node:net';";

describe('an import', () => {
  it.each(Object.entries(BORDERS))('in src/%s/ crosses no border', (folder, [allowed, rule]) => {
    const own = files.filter((file) => file.startsWith(`${folder}/`));
    expect(own.length).toBeGreaterThan(3);
    const crossing = own.flatMap((file) =>
      importsOf(file)
        .filter(({ name }) => files.includes(name) && !name.startsWith(`${folder}/`) && !allowed.test(name))
        .map(({ name }) => `src/${file} imports src/${name}`),
    );
    expect(crossing, `${rule} (docs/architecture.md, Folders), but`).toEqual([]);
  });

  it('of the code for requests happens only on demand', () => {
    const atOnce = files.filter((file) =>
      importsOf(file).some(({ kind, name }) => name === 'service/request.ts' && kind === 'value'),
    );
    expect(atOnce, 'a step that sends nothing must not load src/service/request.ts').toEqual([]);
    expect(importsOf('service/http.ts')).toContainEqual({ name: 'service/request.ts', kind: 'on demand' });
  });

  it('never leads from the post step to code that triggers', () => {
    const loaded = loadedBy('action/post-step.ts');
    expect([...loaded.keys()]).toContain('run/settle.ts');
    const triggering = ['run/trigger.ts', 'run/carry-out.ts', 'run/step.ts'].flatMap((file) => loaded.get(file) ?? []);
    expect(triggering, 'the post step must never trigger a run').toEqual([]);
  });

  it('never leads back to its own file', () => {
    const circles = files.flatMap((file) => loadedBy(file).get(file) ?? []);
    expect(circles, 'imports form a cycle').toEqual([]);
  });
});

/** Facts that only one part of the code may know, the code that gives them away, and the files of that part. */
const OWNERS: readonly (readonly [fact: string, pattern: RegExp, owners: readonly string[]])[] = [
  ['the parent of the process at its start', /process\.ppid/, ['early.ts', 'real-world.ts']],
  ['whether anything reads the log', /\bhasNoReader =/, ['action/signals.ts']],
  ['whether stdout has accepted the log', /\.flushed\(/, ['action/process.ts']],
  ['when the post step has nothing to do', /\bisHandled:|'unless_cancelled'/, ['action/main-end.ts', 'early.ts']],
  ['when a rejected key is final', /\{ kind: 'key_invalid'/, ['service/session.ts']],
  ['how long a token is used', /\bRENEW_AFTER\b/, ['service/session.ts']],
  ['with how many tokens a call is sent', /\bTOKENS_PER_CALL\b/, ['service/session.ts']],
  ['which response refuses a credential', /\b401\b/, ['service/response.ts']],
  ['when and why a run is stopped', /\bledger\.stop\(/, ['run/stops.ts']],
  ['that the wait for a run ends', /#halting\b/, ['run/ledger.ts']],
  ['that timeout has passed', /\bplan\.timeoutMs\b/, ['run/stops.ts']],
  ['how long a request is repeated', /\bmaxOutageMs\b/, ['run/plan.ts', 'run/patience.ts', 'action/inputs.ts']],
  ['what a phase is called on disk', /\bsavedAs\b/, ['run/state.ts']],
  ['whether another attempt follows', /\bretryOn\.includes\(/, ['run/outcome.ts']],
  ['which status succeeds', /\bsucceedOn\.includes\(/, ['run/outcome.ts', 'action/contradictions.ts']],
  ['what the post step does in a phase', /\.post\b/, ['run/state.ts']],
  ['how an internal error is reported', /Internal error/, ['base/text.ts']],
  ['that no POST queued a run', /phase: \{ at: 'not_queued'/, ['run/state.ts']],
  ['which code sends a trigger', /\bservice\.trigger\(/, ['run/trigger.ts']],
  ['what a file of a step lacks', /#lacking\b/, ['action/record.ts']],
];

it.each(OWNERS)('one part of the code knows %s', (_, pattern, owners) => {
  expect(files.filter((file) => pattern.test(codeOf(file))).sort()).toEqual([...owners].sort());
});

it('files below the entries access the outside world only through World', () => {
  const touching = files
    .filter((file) => !OUTSIDE.includes(file))
    .flatMap((file) => {
      const code = codeOf(file).replace(COMPUTES, '');
      const calls = [...code.matchAll(OUTSIDE_CALLS)].map(([call]) => `src/${file} uses ${call}`);
      const modules = importsOf(file).filter(
        ({ kind, name }) => kind !== 'type' && OUTSIDE_MODULES.test(name) && code.includes(`'${name}'`),
      );
      return [...calls, ...modules.map(({ name }) => `src/${file} imports ${name}`)];
    });
  expect(touching, 'tests and the simulation replace the outside world, so access it through src/world.ts').toEqual([]);
});

it('no file changes the environment or a package, or loads modules in its own way', () => {
  const changes =
    /process\.env(?:\.\w+|\[[^\]]*\]) =(?!=)|\b(?:defineProperty|prototype|createRequire|getBuiltinModule)\b/;
  expect(files.filter((file) => changes.test(codeOf(file)))).toEqual([]);
});

/*
 * Texts from the network can be long and hostile, so work on them takes linear time, unless it comes after the cut
 * (docs/architecture.md). A regular expression can take more than linear time if it repeats something without an upper
 * limit and is not anchored, or repeats several things.
 */
const FROM_NETWORK = /^(?:base|run|report|service)\//;
const LINEAR: readonly (readonly [file: string, pattern: string, why: string])[] = [
  ['base/address.ts', String.raw`/(?<!\/)\/+$/`, 'starts only once in each row of slashes'],
  ['base/address.ts', String.raw`/^127\.\d+\.\d+\.\d+$/`, 'digits and dots alternate'],
  ['base/duration.ts', String.raw`/^(?:\d+(?:\.\d+)?(?:ms|s|m|h|d)\s*)+$/i`, 'only inputs'],
  ['base/duration.ts', String.raw`/([\d.]+)(ms|s|m|h|d)/g`, 'only inputs'],
  ['base/text.ts', String.raw`/(?:\d{1,5}\.)?index\.js:\d+/`, 'nothing follows the repetition'],
  ['base/text.ts', String.raw`/\s+/gu`, 'nothing follows the repetition'],
  ['report/markdown.ts', '/`+/g', 'nothing follows the repetition'],
  ['service/api.ts', String.raw`/\/(\d+)$/`, 'starts only at slashes, which end the repetition'],
  ['service/body.ts', String.raw`/(?:^|,)\s*chunked\s*$/i`, 'starts only at commas, which end the repetitions'],
  ['service/connection.ts', '/SSL routines:[^:]*:([^:]+)/', 'starts only before colons, which end the repetitions'],
  ['service/connection.ts', String.raw`/\{(\w+)\}/g`, 'starts only at braces, which end the repetition'],
  ['service/proxy.ts', '/(?:%[0-9a-f]{2})+/gi', 'only variables'],
  ['service/proxy.ts', String.raw`/^\s*(?:[a-z][\w+.-]*:\/\/)?([^:]*):?(.*)@/i`, 'only variables'],
  ['service/remedies.ts', '/[?#].*/', 'nothing follows the repetition'],
  ['service/remedies.ts', '/(?<=(?<![:/])\\/)[^/]+/g', 'nothing follows the repetition'],
];

describe('work on texts from the network takes linear time, because', () => {
  it('every regular expression with repetitions is anchored, or known to be linear', () => {
    const repetitive = files
      .filter((file) => FROM_NETWORK.test(file))
      .flatMap((file) =>
        expressionsIn(file)
          .filter((pattern) => repetitionsIn(pattern) > (pattern.startsWith('/^') ? 1 : 0))
          .map((pattern) => `${file} ${pattern}`),
      );
    expect([...new Set(repetitive)].sort()).toEqual(LINEAR.map(([file, pattern]) => `${file} ${pattern}`).sort());
  });

  it('only two expressions are made from strings: escape sequences and long words, which nothing follows', () => {
    const makers = files.filter((file) => /\bnew RegExp\(|\bRegExp\(/.test(codeOf(file)));
    expect(makers).toEqual(['base/text.ts', 'service/remedies.ts']);
  });

  it.each([
    ['names are normalized only after the cut', /\.normalize\(/, ['base/text.ts']],
    ['secrets are searched only in one place, which cuts the text', /#redact\(/, ['service/secrets.ts']],
    ['JSON is parsed only in one place, which limits its parts', /\bJSON\.parse\(/, ['early.ts', 'base/json.ts']],
    ['names are compared only in the first characters', /\beditsOf\(/, ['action/suggestions.ts']],
    ['texts are compared by their characters', /localeCompare|\bIntl\.|toLocale/, []],
  ])('%s', (_, pattern, owners) => {
    expect(files.filter((file) => pattern.test(codeOf(file)))).toEqual(owners);
  });
});

/** Returns the regular expressions in a file, as they are written. */
function expressionsIn(file: string): string[] {
  const source = createSourceFile(file, readFileSync(join(root, file), 'utf8'), ScriptTarget.Latest);
  const found: string[] = [];
  const visit = (node: Node): void => {
    if (node.kind === SyntaxKind.RegularExpressionLiteral) found.push(node.getText(source));
    node.forEachChild(visit);
  };
  visit(source);
  return found;
}

/** Counts the repetitions without an upper limit in a regular expression: `*`, `+` and `{2,}`. */
function repetitionsIn(pattern: string): number {
  const bare = pattern.replace(/\\./g, 'e').replace(/\[[^\]]*\]/g, 'c');
  return [...bare.matchAll(/[*+]|\{\d+,\}/g)].length;
}
