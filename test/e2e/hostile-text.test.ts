// Text from the service, such as the name of a pipeline, that tries to be something else in a log or a file.
import { describe, expect, it } from 'vitest';
import { commandIn } from '../../sandbox/runner/commands.ts';
import { playProcess, useAction } from '../support/e2e.ts';

const action = useAction();

const HOSTILE: readonly (readonly [string, string])[] = [
  ['a command', '::set-output name=outcome::stolen'],
  ['a command after white space of all kinds', '\u2028\u00a0\u3000\t::stop-commands::never'],
  ['a command on a line of its own', 'fine\n::add-mask::e\r\n::error title=x::y\r::warning::z'],
  ['a command of the old form', 'fine ##[set-env name=PATH]/tmp ##[error]x'],
  ['records for the output file', 'fine\noutcome=stolen\njob-id<<X\nstolen\nX\nmessage=stolen'],
  ['a heredoc without an end', 'fine\nx<<NEVER\n'],
  ['escape sequences of a terminal', '\u001b[2J\u001b]0;title\u0007\u001b[31mred\u009b1A'],
  ['marks that reverse the direction of text', 'abc \u202e gnp.exe \u2066x\u2069'],
  ['Markdown and HTML', '| a | b |\n\n# Big\n<img src=x onerror=y> [a](https://evil.test) @everyone `x`'],
  ['a very long text', `${'x'.repeat(200_000)}\n::error::y`],
];

/** The commands that this action uses. */
const OURS: ReadonlySet<string> = new Set(['add-mask', 'debug', 'error', 'warning', 'notice']);

describe.concurrent('text from the service', () => {
  it.each(HOSTILE)('stays text in log, outputs and summary if it contains %s', async (_, text) => {
    const timeline = [[0, 'queued', text] as const, [30_000, 'failed', text] as const];
    const { main, runs } = await playProcess(action, {
      job: { debug: true },
      service: {
        model: {
          pipelines: [{ name: text, apiName: 'hostile', scenario: 'hostile' }],
          scenarios: { hostile: { does: 'fails', timeline } },
        },
      },
      inputs: { pipeline: 'hostile' },
    });
    expect(main.exitCode).toBe(1);
    const commands = main.lines.flatMap((line) => commandIn(line) ?? []);
    expect(commands.filter(({ name }) => !OURS.has(name))).toEqual([]);
    expect(commands.filter(({ name }) => name === 'error')).toHaveLength(1);
    expect(commands.filter(({ name }) => name === 'warning')).toEqual([]);
    expect(main.files.broken).toEqual([]);
    expect(main.files.outputs).toMatchObject({ outcome: 'failed', 'job-status': 'failed', 'job-id': runs[0]?.id });
    expect(Object.keys(main.files.outputs)).not.toContain('x');
    expect(main.lines.filter((line) => /[\p{Cc}\u202a-\u202e\u2066-\u2069]/u.test(line))).toEqual([]);
    expect(main.lines.every((line) => line.length < 6_000)).toBe(true);
    expect(main.files.summary).not.toMatch(/<img|\]\(https:|@everyone|^# Big/m);
    expect(main.files.summary.length).toBeLessThan(50_000);
  });

  it('stays text if it is the message of an error', async () => {
    const body = JSON.stringify({ code: '::error::x', message: 'no\n::set-env name=A::b', hint: '##[warning]z' });
    const { main } = await playProcess(action, {
      rules: [{ kind: 'trigger', how: { do: 'answer', status: 400, body } }],
    });
    expect(main).toMatchObject({ exitCode: 1, files: { outputs: { outcome: 'not_triggered' }, broken: [] } });
    const commands = main.lines.flatMap((line) => commandIn(line) ?? []).map(({ name }) => name);
    expect(commands.filter((name) => name !== 'add-mask')).toEqual(['error']);
  });
});
