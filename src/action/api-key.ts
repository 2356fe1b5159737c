/** What is wrong with an API key and what to do about it. Never shows the key. */
export interface KeyMistake {
  /** Follows `Input api-key`. */
  readonly what: string;
  /** Sentences of their own. */
  readonly how: string;
}

/** Returns what is wrong with an API key at first sight; undefined when it looks right. */
export function mistakeInKey(key: string): KeyMistake | undefined {
  if (key === '') {
    return {
      what: 'is empty',
      how:
        'Pass a secret, such as api-key: ${{ secrets.PIPELINE_API_KEY }}. Secrets do not reach workflows that run ' +
        'for a pull request from a fork or from Dependabot, and a secret of an environment reaches only jobs that ' +
        'name that environment.',
    };
  }
  if (/\s/.test(key)) {
    return {
      what: 'has white space or a line break inside',
      how: 'Store the key again, as one line with nothing around it.',
    };
  }
  if (key.startsWith('eyJ')) {
    return {
      what: 'is a legacy API key (it begins with eyJ), which the service does not accept here',
      how: 'Create a new one under Settings → API Keys: it begins with ak_.',
    };
  }
  if (!key.startsWith('ak_')) {
    return {
      what: 'is not an API key: it does not begin with ak_',
      how: 'Create one under Settings → API Keys, and store it as a secret.',
    };
  }
  if (key === 'ak_' || !/^[\x21-\x7e]+$/.test(key)) {
    return {
      what: key === 'ak_' ? 'ends after ak_' : 'has a character in it that no API key has',
      how: 'Store the key again, exactly as it was shown when it was created.',
    };
  }
  return undefined;
}
