declare const uuidBrand: unique symbol;

/** A UUID in its usual form, in lower case. It is safe in a URL, a file and a log line. */
export type Uuid = string & { readonly [uuidBrand]: true };

/** Returns `value` in lower case if it is a UUID, and otherwise undefined. */
export function asUuid(value: unknown): Uuid | undefined {
  const lower = typeof value === 'string' ? value.toLowerCase() : '';
  return isUuid(lower) ? lower : undefined;
}

function isUuid(text: string): text is Uuid {
  return /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/.test(text);
}
