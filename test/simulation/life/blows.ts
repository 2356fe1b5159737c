/** Something that strikes at an effect: before it, after it, or in the middle of it. */
export interface Blow {
  readonly when: 'before' | 'after' | 'torn';
  readonly strike: () => void;
  /** Whether it still comes: one that does not tears nothing. */
  readonly isDue: () => boolean;
}

/** What is to strike a process at which of its numbered effects. */
export class Blows {
  readonly #byEffect = new Map<number, Blow[]>();

  /** Has something strike at an effect of this number. */
  add(effect: number, blow: Blow): void {
    const blows = this.#byEffect.get(effect) ?? [];
    blows.push(blow);
    this.#byEffect.set(effect, blows);
  }

  /** All that strikes at an effect of this number. */
  at(effect: number): readonly Blow[] {
    return this.#byEffect.get(effect) ?? [];
  }
}

/** Whether one of these comes before the effect. */
export function hasEarly(blows: readonly Blow[]): boolean {
  return blows.some(({ when }) => when === 'before');
}

/** Strikes with those that come before the effect. */
export function strikeEarly(blows: readonly Blow[]): void {
  for (const { when, strike } of blows) if (when === 'before') strike();
}

/** Strikes with those that come after the effect, or have torn it. */
export function strikeLate(blows: readonly Blow[]): void {
  for (const { when, strike } of blows) if (when !== 'before') strike();
}
