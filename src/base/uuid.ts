const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Returns a UUID in lower case, or undefined for anything else. */
export function asUuid(value: unknown): string | undefined {
  const text = typeof value === 'string' ? value.toLowerCase() : '';
  return UUID.test(text) ? text : undefined;
}
