import { parseRecords } from '../../../sandbox/runner/records.ts';

/** Reads a file of commands like the official runner, which drops everything after a line that it cannot parse. */
export function recordsOf(text: string): { readonly records: Map<string, string>; readonly torn: boolean } {
  const { values, broken } = parseRecords(text);
  return { records: new Map(Object.entries(values)), torn: broken !== undefined };
}
