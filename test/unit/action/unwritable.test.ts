import { expect, it } from 'vitest';
import { remedyForFile } from '../../../src/action/unwritable.ts';

const DENIED = "EACCES: permission denied, open '/__w/_temp/x'";

it('the remedy for a denied write names the user of this process and how a job container sets it', () => {
  expect(remedyForFile(DENIED, 1001)).toMatch(
    /^Give the user that runs this step \(id 1001\) .*set the user with options: --user\.$/,
  );
});

it('the remedy for a denied write names the user of the runner on Windows, which has no user ids', () => {
  expect(remedyForFile(DENIED, undefined)).toBe("Give the runner's user write access to this file and its folder.");
});

it.each([
  ['EACCES: permission denied', 'write access to this file and its folder'],
  ['EPERM: operation not permitted', 'write access to this file and its folder'],
  ['EMFILE: too many open files', "Raise the runner's limit on open files"],
  ['ENFILE: file table overflow', "Raise the runner's limit on open files"],
  ['EROFS: read-only file system', 'Mount the file system with write access.'],
  ['ENOENT: no such file or directory', 'Check that no step deletes RUNNER_TEMP'],
  ['ENOSPC: no space left on device', 'Free up disk space'],
  ['EDQUOT: disk quota exceeded', 'Free up disk space'],
  ['EISDIR: illegal operation on a directory', 'Check that the runner provides this file'],
  // Node's permission model.
  ['Access to this API has been restricted', 'Add --allow-fs-read=* and --allow-fs-write=* to NODE_OPTIONS'],
])('the remedy for "%s" is found even if the name of the file contains another error code', (why, remedy) => {
  expect(remedyForFile(`${why}, open '/tmp/EISDIR: EACCES: ENOSPC: x'`, 1001)).toContain(remedy);
});
