// Stands in for @actions/exec, which @actions/core needs only to describe the machine it runs on. This action
// never asks for that, never starts another program by it, and so does not carry the 45 KB along.

/** Throws: whoever calls it needs the real package. */
export function getExecOutput() {
  throw new Error('run-pipeline is bundled without @actions/exec');
}
