/** `JSON.parse` returns `unknown` instead of `any`, so nothing uses parsed data unchecked. */
interface JSON {
  parse(text: string): unknown;
}
