declare const uuidBrand: unique symbol;

/** A UUID in its usual form, lower case: safe in a URL, in a file and in a log line. */
export type Uuid = string & { readonly [uuidBrand]: true };

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Returns `value` as a UUID, whatever its case; undefined when it is anything else. */
export function asUuid(value: unknown): Uuid | undefined {
  if (typeof value !== 'string') return undefined;
  const lower = value.toLowerCase();
  return isLowerUuid(lower) ? lower : undefined;
}

function isLowerUuid(text: string): text is Uuid {
  return UUID.test(text);
}
