import { describe, expect, it } from 'vitest';
import { createSummaryWriter } from '../../../../../src/action/report/summary/job-summary.ts';
import { memoryFiles } from '../../../../support/memory-files.ts';

const FILE = '/runner/summary';

describe('the writer of the job summary', () => {
  it('puts a second showing in the place of the first, behind what others wrote', () => {
    const files = memoryFiles({ [FILE]: 'others\n' });
    const writer = createSummaryWriter(files, FILE);
    writer.show('one');
    writer.show('two');
    expect(files.text(FILE)).toBe('others\ntwo\n');
  });

  it.each([undefined, ''])('writes nothing without a file (%j)', (path) => {
    const files = memoryFiles();
    createSummaryWriter(files, path).show('one');
    expect(files.paths).toEqual([]);
  });

  it('throws when the file takes nothing', () => {
    const files = memoryFiles();
    files.refuse(FILE);
    expect(() => createSummaryWriter(files, FILE).show('one')).toThrow('ENOSPC');
  });

  it('appends every showing to a character device, which it does not read', () => {
    const files = memoryFiles({ [FILE]: 'others\n' });
    files.become(FILE, 'character_device');
    const writer = createSummaryWriter(files, FILE);
    writer.show('one');
    writer.show('two');
    expect(files.text(FILE)).toBe('others\none\ntwo\n');
  });

  it.each(['stdout', 'fifo', 'directory'] as const)('throws for a %s', (kind) => {
    const files = memoryFiles({ [FILE]: 'others\n' });
    files.become(FILE, kind);
    expect(() => createSummaryWriter(files, FILE).show('one')).toThrow(`"${FILE}" is `);
    expect(files.text(FILE)).toBe('others\n');
  });

  it('throws, and leaves what others wrote, when it cannot read that', () => {
    const files = { ...memoryFiles({ [FILE]: 'others\n' }), read: () => undefined };
    expect(() => createSummaryWriter(files, FILE).show('one')).toThrow('its content could not be read');
    expect(files.text(FILE)).toBe('others\n');
  });

  it('throws, and leaves what others wrote, when the runner the runner would take none of it', () => {
    const others = 'o'.repeat(1_048_000);
    const files = memoryFiles({ [FILE]: others });
    expect(() => createSummaryWriter(files, FILE).show('x'.repeat(600))).toThrow('1 MiB');
    expect(files.text(FILE)).toBe(others);
  });
});
