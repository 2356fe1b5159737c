/** What is wrong with an API key, in words that follow `Input api-key`; undefined when it looks right. Never shows it. */
export function mistakeInKey(key: string): string | undefined {
  if (key === '') {
    return (
      'is empty. Pass a secret: api-key: ${{ secrets.PIPELINE_API_KEY }}. Secrets do not reach workflows that run ' +
      'for a pull request from a fork or from Dependabot, and a secret of an environment reaches only jobs that ' +
      'name that environment.'
    );
  }
  if (/\s/.test(key)) {
    return 'has white space or a line break inside. Store the key again, as one line without anything around it.';
  }
  if (key.startsWith('eyJ')) {
    return (
      'is a legacy API key (it begins with eyJ), which the service does not accept here. Create a new one under ' +
      'Settings, API Keys: it begins with ak_.'
    );
  }
  if (!key.startsWith('ak_'))
    return 'is not an API key: it does not begin with ak_. Create one under Settings, API Keys.';
  if (key === 'ak_' || !/^[\x21-\x7e]+$/.test(key)) {
    return 'is not a whole API key. Store it again exactly as it was shown when it was created.';
  }
  return undefined;
}
