/** The median and the quartiles of some measurements. */
export interface Spread {
  readonly median: number;
  readonly low: number;
  readonly high: number;
}

/** Returns the median and the quartiles, which are NaN for an empty list. */
export function spreadOf(values: readonly number[]): Spread {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (share: number): number => {
    const place = (sorted.length - 1) * share;
    const below = sorted[Math.floor(place)] ?? Number.NaN;
    const above = sorted[Math.ceil(place)] ?? Number.NaN;
    return below + (above - below) * (place - Math.floor(place));
  };
  return { median: at(0.5), low: at(0.25), high: at(0.75) };
}

/** Returns text such as `31.2 (30.1–33.0) ms`. */
export function show({ median, low, high }: Spread, unit: string, digits = 1): string {
  return `${median.toFixed(digits)} (${low.toFixed(digits)}–${high.toFixed(digits)}) ${unit}`;
}
