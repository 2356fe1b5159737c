/** Keeps secrets out of what people see; it learns them as they turn up. */
export interface Redactor {
  learn(secret: string): void;
  /** Replaces every secret by `***`, also where it is URL-encoded or written as in JSON. */
  redact(text: string): string;
}

export function createRedactor(): Redactor {
  const spellings = new Set<string>();
  return {
    learn(secret) {
      if (secret === '') return;
      const encoded = encodeURIComponent(secret.replace(/\p{Cs}/gu, '\uFFFD'));
      const lower = encoded.replace(/%[0-9A-F]{2}/g, (escaped) => escaped.toLowerCase());
      for (const spelling of [secret, encoded, lower, JSON.stringify(secret).slice(1, -1)]) {
        spellings.add(spelling);
      }
    },
    redact(text) {
      // The longest first: a secret may be part of another one's spelling.
      const longestFirst = [...spellings].sort((a, b) => b.length - a.length);
      return longestFirst.reduce((safe, spelling) => safe.replaceAll(spelling, '***'), text);
    },
  };
}
