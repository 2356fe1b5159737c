// The lines that a step prints for the runner, and the check of the Node.js version.
import { describe, expect, it, vi } from 'vitest';
import { commandOf, commandText, nodeTooOld } from '../../../../src/action/runner/entry-guard.ts';
import { print } from '../../../../src/action/runner/process.ts';
import { githubToolkit } from '../../../../src/action/runner/toolkit.ts';

describe('a step', () => {
  it('accepts Node.js 20.16 and newer', () => {
    const versions = ['18.20.8', '20.9.0', '20.15.1', '20.16.0', '20.20.2', '21.0.0', '24.21.0'];
    expect(versions.filter((version) => nodeTooOld(version) === undefined)).toEqual(versions.slice(3));
  });

  it('puts an error into a workflow command on one line, escaped and shortened', () => {
    const command = commandOf('error', commandText(new Error(`5 %0A\r\n::debug::${'x'.repeat(600)}`)));
    expect(command).toMatch(/^::error title=run-pipeline::5 %250A ::debug::x{483}$/);
  });

  it('prints log lines, secrets to mask, annotations and, only with debug logging, debug lines', () => {
    const write = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
    vi.stubEnv('RUNNER_DEBUG', '');
    githubToolkit.debug('hidden');
    vi.stubEnv('RUNNER_DEBUG', '1');
    githubToolkit.debug('shown');
    githubToolkit.mask('secret');
    githubToolkit.annotate('notice', 'title', 'text');
    print('line');
    const printed = write.mock.calls.join('');
    expect(printed).toMatch(/^::debug::shown\s+::add-mask::secret\s+::notice title=title::text\s+line\n$/);
  });
});
