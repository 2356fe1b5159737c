/** Hashes two numbers to 32 bits (the finaliser of MurmurHash3). */
function mix(seed: number, n: number): number {
  let h = (Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) + Math.imul(n + 1, 0xc2b2ae35)) | 0;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}

/** Returns `digits` hexadecimal digits, which depend only on the seed and the number. */
export function hexFrom(seed: number, n: number, digits: number): string {
  let hex = '';
  for (let part = 0; hex.length < digits; part += 1) {
    hex += mix(seed + Math.imul(part, 0x01000193), n)
      .toString(16)
      .padStart(8, '0');
  }
  return hex.slice(0, digits);
}

/** Returns a deterministic UUID that has the version and variant of a random one. */
export function uuidFrom(seed: number, n: number): string {
  const hex = hexFrom(seed, n, 32);
  const variant = '89ab'.charAt(Number.parseInt(hex.charAt(16), 16) % 4);
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `4${hex.slice(13, 16)}`,
    `${variant}${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join('-');
}

/** PostgreSQL accepts an optional hyphen after every four digits, and optional braces around the UUID. */
const UUID = /^(?:[0-9a-f]{4}-?){7}[0-9a-f]{4}$/i;

/** Parses a UUID as PostgreSQL does. Returns its canonical form, or null if the text is not a UUID. */
export function readUuid(text: string): string | null {
  const bare = /^\{(.*)\}$/.exec(text)?.[1] ?? text;
  if (!UUID.test(bare)) return null;
  const digits = bare.replaceAll('-', '').toLowerCase();
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
