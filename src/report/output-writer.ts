import type { World } from '../world.ts';
import type { Outputs } from './outputs.ts';

/** Some of the outputs. */
export type WrittenOutputs = Partial<Outputs> & { readonly results?: string };

/** Writes outputs as soon as they change, so that they survive if the process is killed. */
export class OutputWriter {
  readonly #toolkit: World['toolkit'];
  readonly #hasFile: boolean;
  readonly #written = new Map<string, string>();

  constructor({ env, toolkit }: Pick<World, 'env' | 'toolkit'>) {
    this.#toolkit = toolkit;
    this.#hasFile = (env['GITHUB_OUTPUT'] ?? '') !== '';
    if (!this.#hasFile) toolkit.info('GITHUB_OUTPUT is not set, so later steps receive no outputs.');
  }

  /** Throws if the runner's file cannot be written. The next call then tries again. */
  write(outputs: WrittenOutputs): void {
    for (const [name, value] of Object.entries(outputs)) {
      if (!this.#hasFile || (this.#written.get(name) ?? '') === value) continue;
      this.#toolkit.setOutput(name, value);
      this.#written.set(name, value);
    }
  }
}
