import { readFileSync, writeFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { Document, Scalar, visit } from 'yaml';
import { declared, INPUT_NAMES } from '../src/action/input-table.ts';
import { type Described, OUTPUTS, RESULTS } from '../src/report/outputs.ts';

/*
 * Writes what the code declares about inputs and outputs into action.yml, action-types.yml and the tables of the
 * documents, for both actions. test/docs/action-yml.test.ts fails if a file differs from what this script would write.
 */

const root = join(import.meta.dirname, '..');
const NOTE = '# Written by `npm run declare` from src/action/input-table.ts and src/report/outputs.ts.\n';

/** An input or an output. */
type Item = Described & Partial<ReturnType<typeof declared>>;
type Table = readonly (readonly [name: string, item: Item])[];

const inputs: Table = INPUT_NAMES.map((name) => [name, declared(name)]);
const outputs: Table = [...Object.entries(OUTPUTS), ['results', RESULTS]];

/** Returns the inputs or outputs of the cancel action, with its own texts. */
function ofCancel(table: Table): Table {
  return table.flatMap(([name, { cancel: description, details: _, ...item }]) =>
    description === undefined ? [] : [[name, { ...item, description }] as const],
  );
}

/** Returns the correct content of each file, by path. */
export function declaredFiles(): Readonly<Record<string, string>> {
  return {
    ...filesOf('', 'README.md', inputs, outputs),
    ...filesOf('cancel/', 'docs/using.md', ofCancel(inputs), ofCancel(outputs)),
  };
}

function filesOf(folder: string, document: string, ins: Table, outs: Table): Readonly<Record<string, string>> {
  const action = yaml({ inputs: mapped(ins, actionOf), outputs: mapped(outs, actionOf) });
  const types = yaml({ inputs: mapped(ins, typingOf), outputs: mapped(outs, typingOf) });
  const forUsers = ins.filter(([name]) => !name.startsWith('internal-'));
  const inputRows = forUsers.map(([name, item]) => [`\`${name}\``, defaultOf(item), rowText(item, document)]);
  // A separate table explains an output's values.
  const outputRows = outs.map(([name, item]) => [`\`${name}\``, rowText({ ...item, values: [] }, document)]);
  const withInputs = between(read(document), '<!-- inputs -->\n', tableOf(['Input', 'Default', 'Meaning'], inputRows));
  return {
    [`${folder}action.yml`]: between(read(`${folder}action.yml`), NOTE, action, '\nruns:\n'),
    [`${folder}action-types.yml`]: NOTE + types,
    [document]: between(withInputs, '<!-- outputs -->\n', tableOf(['Output', 'Meaning'], outputRows)),
  };
}

function mapped(table: Table, content: (item: Item) => object): object {
  return Object.fromEntries(table.map(([name, item]) => [name, content(item)]));
}

function actionOf(item: Item): object {
  const description = sentences(item.description.replace(/[`*]/g, ''), item.details, limitsOf(item));
  const preset = item.default ?? item.expression;
  return { description, ...(item.required && { required: true }), ...(preset !== undefined && { default: preset }) };
}

/** Returns a type of https://github.com/typesafegithub/github-actions-typing, which has no type for durations. */
function typingOf({ type, values }: Item): object {
  const word = values === undefined ? { type: 'string' } : { type: 'enum', 'allowed-values': values };
  if (type === 'boolean') return { type };
  if (type === 'count') return { type: 'integer' };
  if (type === 'lines') return { type: 'list', separator: '\\n', 'list-item': word };
  return type === 'statuses' ? { type: 'list', separator: ',', 'list-item': word } : word;
}

function yaml(value: object): string {
  const document = new Document(value, { aliasDuplicateObjects: false });
  visit(document, {
    Scalar(_, node) {
      if (String(node.value).length > 100) node.type = Scalar.BLOCK_FOLDED;
    },
  });
  return document.toString({ lineWidth: 120, singleQuote: true }).replace('\noutputs:', '\n\noutputs:');
}

function defaultOf({ required, expression, default: preset = expression }: Item): string {
  return required === true ? 'required' : preset === undefined ? '' : `\`${preset}\``;
}

function rowText(item: Item, document: string): string {
  const { description, page = document } = item;
  const isHere = page.split('#')[0] === document;
  const link = isHere ? '' : `[More](${posix.relative(posix.dirname(document), page)}).`;
  return sentences(description, limitsOf(item, '`'), link);
}

function limitsOf({ most, values = [] }: Item, mark = ''): string {
  if (most !== undefined) return `At most ${most}.`;
  return values.length === 0 ? '' : `Values: ${values.map((value) => mark + value + mark).join(', ')}.`;
}

function sentences(...texts: readonly (string | undefined)[]): string {
  return texts.filter((text = '') => text !== '').join(' ');
}

function tableOf(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [head, head.map(() => '---'), ...rows].map((cells) =>
    `| ${cells.join(' | ')} |\n`.replace('|  |', '| |'),
  );
  return lines.join('');
}

/** Replaces the text between two markers. @throws if a marker is missing */
function between(text: string, from: string, content: string, to = '<!-- end -->'): string {
  const start = text.indexOf(from) + from.length;
  const end = text.indexOf(to, start);
  if (!text.includes(from) || end < 0) throw new Error(`No text begins with ${from} and ends with ${to}`);
  return text.slice(0, start) + content + text.slice(end);
}

function read(path: string): string {
  return readFileSync(join(root, path), 'utf8').replaceAll('\r\n', '\n');
}

if (import.meta.main) for (const [path, text] of Object.entries(declaredFiles())) writeFileSync(join(root, path), text);
