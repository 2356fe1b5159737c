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
    [
      'a key with a line break inside',
      `ak_${SECRET}\nrest`,
      'Input api-key contains white space or a line break. Store the key again, on one line and without quotation marks.',
    ],
    [
      'a key with a Windows line break inside',
      `ak_${SECRET}\r\nrest`,
      'Input api-key contains white space or a line break. Store the key again, on one line and without quotation marks.',
    ],
    [
      'a key with a blank inside',
      `ak_ ${SECRET}`,
      'Input api-key contains white space or a line break. Store the key again, on one line and without quotation marks.',
    ],
    [
      'the key with its name before it',
      `PIPELINE_API_KEY=ak_${SECRET}`,
      'Input api-key is not an API key: it does not begin with ak_. Create one under Settings → API Keys, and store it as a secret.',
    ],
    [
      'a key of another service',
      `ghp_${SECRET}`,
      'Input api-key is not an API key: it does not begin with ak_. Create one under Settings → API Keys, and store it as a secret.',
    ],
    [
      'a key in quotation marks',
      `"ak_${SECRET}"`,
      'Input api-key is not an API key: it does not begin with ak_. Create one under Settings → API Keys, and store it as a secret.',
    ],
    [
      'a key in capital letters',
      `AK_${SECRET}`,
      'Input api-key is not an API key: it does not begin with ak_. Create one under Settings → API Keys, and store it as a secret.',
    ],
    [
      'only the beginning of a key',
      'ak_',
      'Input api-key ends after ak_. Store the key again, exactly as the application showed it.',
    ],
    [
      'a key with a letter of no ASCII',
      `ak_${SECRET}é`,
      'Input api-key contains an invalid character. Store the key again, exactly as the application showed it.',
    ],
    [
      'a key with a character of no width',
      `ak_${SECRET}\u200B`,
      'Input api-key contains an invalid character. Store the key again, exactly as the application showed it.',
    ],
    [
      'a key with a control character',
      `ak_${SECRET}\u0007x`,
      'Input api-key contains an invalid character. Store the key again, exactly as the application showed it.',
    ],
  ])('refuses %s, and does not show it', (_, key, sentence) => {
    const said = mistakes({ 'api-key': key });
    expect(said).toEqual([sentence]);
    expect(said.join(' ')).not.toContain(SECRET);
  });
});
