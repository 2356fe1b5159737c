/** Makes `JSON.parse` return `unknown` instead of `any`, so that no code uses parsed data unchecked. */
interface JSON {
  parse(text: string): unknown;
}
