import { checkAddress } from '../../base/address.ts';
import { checkProxy } from '../../base/proxy.ts';
import { quoted } from '../../base/safe-text.ts';
import { cap } from '../report/words.ts';
import type { InputReader } from './input-reader.ts';
import type { Environment } from './input-table.ts';

/** A mistake in a value that may be a secret: what is wrong, and how to correct it. Neither contains the value. */
export interface SecretMistake {
  readonly what: string;
  readonly how: string;
}

/** Checks the form of an API key. `what` has the input as its subject. */
export function mistakeInKey(key: string): SecretMistake | undefined {
  const checks: readonly (readonly [isWrong: boolean, what: string, how: string])[] = [
    [key === '', 'is empty', KEY_MISSING],
    [/\s/.test(key), 'has white space or a line break inside', STORE_AS_ONE_LINE],
    [key.startsWith('eyJ'), LEGACY, 'Create a new one under Settings → API Keys: it begins with ak_.'],
    [!key.startsWith('ak_'), 'is not an API key: it does not begin with ak_', CREATE],
    [key === 'ak_', 'ends after ak_', STORE_AS_SHOWN],
    [!/^[\x21-\x7e]*$/.test(key), 'has a character in it that no API key has', STORE_AS_SHOWN],
  ];
  const wrong = checks.find(([isWrong]) => isWrong);
  return wrong && { what: wrong[1], how: wrong[2] };
}

const KEY_MISSING =
  'Pass a secret, such as api-key: ${{ secrets.PIPELINE_API_KEY }}. Secrets do not reach workflows that run ' +
  'for a pull request from a fork or from Dependabot, and a secret of an environment reaches only jobs that ' +
  'name that environment.';
const LEGACY = 'is a legacy API key (it begins with eyJ), which the service does not accept here';
const CREATE = 'Create one under Settings → API Keys, and store it as a secret.';
const STORE_AS_ONE_LINE = 'Store the key again, as one line with nothing around it.';
const STORE_AS_SHOWN = 'Store the key again, exactly as it was shown when it was created.';

/**
 * Checks the proxy for https; no proxy is used for loopback, the only host reached over http. Ignores `no_proxy`,
 * because the exchange may name further hosts. `what` names the variable.
 */
export function mistakeInProxy(env: Environment): SecretMistake | undefined {
  const proxy = checkProxy(env, 'https:');
  if (proxy.ok) return undefined;
  return {
    what: `the environment variable ${proxy.variable} ${proxy.why}`,
    how: 'Write http://HOST:PORT or http://USER:PASSWORD@HOST:PORT, with the special characters of the password percent-encoded.',
  };
}

/** Reads how to reach the service. `baseUrl` is undefined after a mistake in it. */
export function readConnection(read: InputReader, env: Environment) {
  const apiKey = read.text('api-key');
  const wrongKey = mistakeInKey(apiKey);
  if (wrongKey !== undefined) read.mistake('api-key', `${wrongKey.what}. ${wrongKey.how}`);
  const baseUrl = readBaseUrl(read);
  const wrongProxy = mistakeInProxy(env);
  if (wrongProxy !== undefined) read.mistakes.push(`${cap(wrongProxy.what)}. ${wrongProxy.how}`);
  return { apiKey, baseUrl };
}

function readBaseUrl(read: InputReader): URL | undefined {
  const text = read.text('base-url');
  const checked = checkAddress(text);
  if (checked.ok) return checked.url;
  // The text before an @ may be a password, even if the text is not a valid address.
  const what = text.includes('@') ? checked.why : `is ${quoted(text)}, which ${checked.why}`;
  const problem = text === '' ? 'is empty. Write the address of the service' : `${what}. ${ADDRESS_ALONE}`;
  read.mistake('base-url', `${problem}, such as https://app.example.com.`);
  return undefined;
}

const ADDRESS_ALONE = 'Write the address of the service alone';
