import { describe, expect, it } from 'vitest';
import { mistakes, settings } from '../../../support/action.ts';

describe('the input api-key', () => {
  const SECRET = 'S3cretPart';

  it.each(['ak_x', `ak_${SECRET}-._~+/=`, `ak_${'9'.repeat(500)}`])('takes %s', (key) => {
    expect(settings({ 'api-key': key }).apiKey).toBe(key);
  });

  it.each([
    [
      'a legacy key',
      `eyJhbGciOiJIUzI1NiJ9.${SECRET}.sig`,
      'Input api-key is a legacy API key (it begins with eyJ), which the service does not accept here. Create a new one under Settings → API Keys: it begins with ak_.',
    ],
    ['a key with a line break inside', `ak_${SECRET}\nrest`, 'contains white space'],
    ['a key with a Windows line break inside', `ak_${SECRET}\r\nrest`, 'contains white space'],
    ['a key with a blank inside', `ak_ ${SECRET}`, 'contains white space'],
    ['the key with its name before it', `PIPELINE_API_KEY=ak_${SECRET}`, 'is not an API key'],
    ['a key of another service', `ghp_${SECRET}`, 'is not an API key'],
    ['a key in quotation marks', `"ak_${SECRET}"`, 'is not an API key'],
    ['a key in capital letters', `AK_${SECRET}`, 'is not an API key'],
    ['only the beginning of a key', 'ak_', 'ends after ak_'],
    ['a key with a letter of no ASCII', `ak_${SECRET}é`, 'contains an invalid character'],
    ['a key with a character of no width', `ak_${SECRET}\u200B`, 'contains an invalid character'],
    ['a key with a control character', `ak_${SECRET}\u0007x`, 'contains an invalid character'],
  ])('refuses %s, and does not show it', (_, key, sentence) => {
    const said = mistakes({ 'api-key': key });
    expect(said).toEqual([expect.stringContaining(sentence)]);
    expect(said.join(' ')).not.toContain(SECRET);
  });
});
