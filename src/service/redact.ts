/** Keeps secrets out of what people see; it learns them as they turn up. */
export interface Redactor {
  /** Whether it was not known before. */
  learn(secret: string): boolean;
  /** Replaces every secret by `***`, also where it is URL-encoded or written as in JSON. */
  redact(text: string): string;
}

export function createRedactor(): Redactor {
  const spellings = new Set<string>();
  return {
    learn(secret) {
      if (secret === '' || spellings.has(secret)) return false;
      const encoded = encodeURIComponent(secret.replace(/\p{Cs}/gu, '\uFFFD'));
      const lower = encoded.replace(/%[0-9A-F]{2}/g, (escaped) => escaped.toLowerCase());
      for (const spelling of [secret, encoded, lower, JSON.stringify(secret).slice(1, -1)]) {
        spellings.add(spelling);
      }
      return true;
    },
    redact(text) {
      // The longest first: a secret may be part of another one's spelling.
      const longestFirst = [...spellings].sort((a, b) => b.length - a.length);
      return longestFirst.reduce((safe, spelling) => safe.replaceAll(spelling, '***'), text);
    },
  };
}

/** As much of a text is looked at as may be shown, in characters, and more. */
const LOOKED_AT = 65_536;

/**
 * Whatever stands in a text in the place of a token: a secret too where the text is not the JSON that it should
 * be, or part of a failure whose words are shown.
 */
export function tokensIn(text: string): string[] {
  const found = text.slice(0, LOOKED_AT).matchAll(/"token"\s*:\s*"([!#-[\]-~]{4,})"/g);
  return [...found].flatMap(([, ...tokens]) => tokens);
}
