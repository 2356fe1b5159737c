const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Parses a duration such as `90s`, `15m`, `1h30m` or `250ms` into milliseconds. Returns undefined for other text. */
export function parseDuration(text: string): number | undefined {
  // The unit is required, because people who write `45` mean minutes, but programs mean seconds.
  if (!/^(?:\d+(?:\.\d+)?(?:ms|s|m|h|d)\s*)+$/i.test(text)) return undefined;
  let total = 0;
  for (const [, amount, unit = ''] of text.toLowerCase().matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h|d)/g)) {
    total += Number(amount) * (UNIT_MS[unit] ?? Number.NaN);
  }
  return Number.isFinite(total) ? Math.round(total) : undefined;
}

/** Formats milliseconds for people: `400ms`, `2.5s`, `12s`, `1m 30s`, `2h 5m`, `1d 2h`. */
export function formatDuration(ms: number): string {
  if (ms <= 0 || !Number.isFinite(ms)) return '0s';
  if (ms < 1_000) return `${Math.round(ms)}ms`;
  if (ms < 10_000) return `${Math.floor(ms / 100) / 10}s`;
  const seconds = Math.floor(ms / 1_000);
  const parts = [
    [Math.floor(seconds / 86_400), 'd'],
    [Math.floor(seconds / 3_600) % 24, 'h'],
    [Math.floor(seconds / 60) % 60, 'm'],
    [seconds % 60, 's'],
  ] as const;
  const first = parts.findIndex(([amount]) => amount > 0);
  const shown = parts.slice(first, first + 2).filter(([amount]) => amount > 0);
  return shown.map(([amount, unit]) => `${amount}${unit}`).join(' ');
}
