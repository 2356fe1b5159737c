import { checkAddress } from '../../base/address.ts';
import { checkProxy } from '../../base/proxy.ts';
import { cap } from '../report/words.ts';
import type { InputReader } from './input-reader.ts';
import type { Environment } from './input-table.ts';

/** A mistake in a value that may be secret, and how to correct it. Neither string contains the value. */
type SecretMistake = Readonly<{ what: string; how: string }>;

/** Checks the format of an API key. `what` completes a sentence that begins with the input's name. */
export function mistakeInKey(key: string): SecretMistake | undefined {
  if (key === '') return { what: 'is empty', how: KEY_MISSING };
  if (/\s/.test(key)) return { what: 'contains white space or a line break', how: STORE_AS_ONE_LINE };
  if (key.startsWith('eyJ')) return { what: LEGACY, how: CREATE_NEW };
  if (!key.startsWith('ak_')) return { what: 'is not an API key, because it does not begin with ak_', how: CREATE };
  if (key === 'ak_') return { what: 'contains only the prefix ak_', how: STORE_AS_SHOWN };
  const isForeign = !/^[\x21-\x7e]*$/.test(key);
  return isForeign ? { what: 'contains an invalid character', how: STORE_AS_SHOWN } : undefined;
}

const KEY_MISSING =
  'Pass a secret, such as api-key: ${{ secrets.PIPELINE_API_KEY }}. GitHub passes no secrets to workflows for pull ' +
  'requests from forks or from Dependabot. It passes environment secrets only to jobs that name the environment.';
const LEGACY = 'is a legacy API key (it begins with eyJ), which this action does not support';
const CREATE_NEW = 'Create one that begins with ak_ under Settings → API Keys.';
const CREATE = 'Store only the key, without quotation marks. Create one under Settings → API Keys.';
const STORE_AS_ONE_LINE = 'Store the key again, on one line and without quotation marks.';
const STORE_AS_SHOWN = 'Store the key again, exactly as the application showed it.';
const PROXY_REMEDY =
  'Set it to http://HOST:PORT or http://USER:PASSWORD@HOST:PORT, and percent-encode special characters in the password.';

/** Checks the HTTPS proxy even if `no_proxy` excludes `base-url`, because the key exchange may name another host. */
export function mistakeInProxy(env: Environment): SecretMistake | undefined {
  // The action uses HTTP only for hosts on this machine, which need no proxy.
  const proxy = checkProxy(env, 'https:');
  if (proxy.ok) return undefined;
  return { what: `the environment variable ${proxy.variable} ${proxy.why}`, how: PROXY_REMEDY };
}

/** Reads the inputs for the connection to the service. `baseUrl` is undefined if its input is invalid. */
export function readConnection(read: InputReader, env: Environment) {
  const apiKey = read.text('api-key');
  const wrongKey = mistakeInKey(apiKey);
  if (wrongKey !== undefined) read.mistake('api-key', `${wrongKey.what}. ${wrongKey.how}`);
  const address = read.text('base-url');
  const checked = checkAddress(address);
  const example = 'such as https://app.example.com.';
  if (address === '') read.mistake('base-url', `is empty. Set it to the service's address, ${example}`);
  else if (!checked.ok) read.wrongAddress('base-url', checked.why, `Set it to the service's address, ${example}`);
  const wrongProxy = mistakeInProxy(env);
  if (wrongProxy !== undefined) read.mistakes.push(`${cap(wrongProxy.what)}. ${wrongProxy.how}`);
  return { apiKey, baseUrl: checked.ok ? checked.url : undefined };
}
