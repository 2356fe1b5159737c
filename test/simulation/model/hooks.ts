/** Something that crashes at an effect: before it, after it, or in the middle of it. */
export interface Hook {
  readonly when: 'before' | 'after' | 'torn';
  readonly crash: () => void;
  /** Whether it still comes: one that does not tears nothing. */
  readonly isDue: () => boolean;
}

/** What is to crash a process at which of its numbered effects. */
export class Hooks {
  readonly #byEffect = new Map<number, Hook[]>();

  /** Has something crash at an effect of this number. */
  add(effect: number, hook: Hook): void {
    const hooks = this.#byEffect.get(effect) ?? [];
    hooks.push(hook);
    this.#byEffect.set(effect, hooks);
  }

  /** All that crashes at an effect of this number. */
  at(effect: number): readonly Hook[] {
    return this.#byEffect.get(effect) ?? [];
  }
}

/** Whether one of these comes before the effect. */
export function hasEarly(hooks: readonly Hook[]): boolean {
  return hooks.some(({ when }) => when === 'before');
}

/** Strikes with those that come before the effect. */
export function runEarly(hooks: readonly Hook[]): void {
  for (const { when, crash } of hooks) if (when === 'before') crash();
}

/** Strikes with those that come after the effect, or have torn it. */
export function runLate(hooks: readonly Hook[]): void {
  for (const { when, crash } of hooks) if (when !== 'before') crash();
}
