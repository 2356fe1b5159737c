// The lines that a step prints for the runner, and the check of the Node.js version.
import { describe, expect, it, vi } from 'vitest';
import { commandOf, commandText, nodeTooOld } from '../../../../src/action/runner/entry-guard.ts';
import { print } from '../../../../src/action/runner/process.ts';
import { githubToolkit } from '../../../../src/action/runner/toolkit.ts';

describe('a step', () => {
  it('rejects versions of Node.js before 20.16', () => {
    const rejected = ['18.20.8', '20.9.0', '20.15.1'];
    const accepted = ['20.16.0', '20.20.2', '21.0.0', '24.21.0'];
    expect([...rejected, ...accepted].filter((version) => nodeTooOld(version) !== undefined)).toEqual(rejected);
  });

  it('puts an error into a workflow command on one line, escaped and shortened', () => {
    const command = commandOf('error', commandText(new Error(`5 %0A\r\n::debug::${'x'.repeat(600)}`)));
    expect(command).toMatch(/^::error title=run-pipeline::5 %250A ::debug::x{483}$/);
  });

  const { annotate, debug, mask } = githubToolkit;

  it.each<[string, string, () => void, RegExp]>([
    ['a line of the log', '', () => print('line'), /^line\n$/],
    ['a secret to mask', '', () => mask('secret'), /^::add-mask::secret\s+$/],
    ['an annotation', '', () => annotate('notice', 'title', 'text'), /^::notice title=title::text\s+$/],
    ['a debug line with debug logging', '1', () => debug('shown'), /^::debug::shown\s+$/],
    ['no debug line without debug logging', '', () => debug('hidden'), /^$/],
  ])('prints %s', (_, isDebug, act, printed) => {
    const write = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
    vi.stubEnv('RUNNER_DEBUG', isDebug);
    act();
    expect(write.mock.calls.join('')).toMatch(printed);
  });
});
