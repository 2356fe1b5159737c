import { describe, expect, it } from 'vitest';
import { OutputWriter } from '../../../src/report/output-writer.ts';
import { fakeWorld } from '../../support/world.ts';
import { JOB } from './scene.ts';

describe('the output writer', () => {
  it('writes only what has changed', () => {
    const { world, files } = fakeWorld();
    const writer = new OutputWriter(world);
    writer.write({ 'job-id': JOB, 'job-status': 'queued', message: '' });
    writer.write({ 'job-id': JOB, 'job-status': '' });
    const text = files.read(world.env['GITHUB_OUTPUT'] ?? '') ?? '';
    expect(text.match(/^[a-z-]+(?=<<)/gm)).toEqual(['job-id', 'job-status', 'job-status']);
  });

  it('throws if it cannot write the file, and tries again the next time', () => {
    const fake = fakeWorld();
    const path = fake.world.env['GITHUB_OUTPUT'] ?? '';
    const writer = new OutputWriter(fake.world);
    fake.files.refuse(path);
    expect(() => writer.write({ 'job-id': JOB })).toThrow('ENOSPC');
    fake.files.accept(path);
    writer.write({ 'job-id': JOB });
    expect(fake.outputs).toEqual({ 'job-id': JOB });
  });
});
