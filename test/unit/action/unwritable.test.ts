import { expect, it } from 'vitest';
import { remedyForFile } from '../../../src/action/unwritable.ts';

const DENIED = "EACCES: permission denied, open '/__w/_temp/x'";

it('names the user of this process and how a job container sets it', () => {
  expect(remedyForFile(DENIED, 1001)).toMatch(/^Give the user with the id 1001, .*options: --user sets this user\.$/);
});

it('names the user of the runner on Windows, which has no user ids', () => {
  expect(remedyForFile(DENIED, undefined)).toBe("Give the runner's user write access to this file and its folder.");
});

it('does not blame the user for a read-only file system', () => {
  expect(remedyForFile("EROFS: read-only file system, open 'x'", 1001)).not.toContain('user');
});
