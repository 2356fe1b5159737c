import { checkAddress } from '../../base/address.ts';
import { checkProxy } from '../../base/proxy.ts';
import { cap } from '../report/words.ts';
import type { InputReader } from './input-reader.ts';
import type { Environment } from './input-table.ts';

/** A mistake in a value that may be secret, and how to correct it. Neither text contains the value. */
type SecretMistake = Readonly<{ what: string; how: string }>;

/** Checks the format of an API key. `what` is a predicate with the input as its subject. */
export function mistakeInKey(key: string): SecretMistake | undefined {
  if (key === '') return { what: 'is empty', how: KEY_MISSING };
  if (/\s/.test(key)) return { what: 'contains white space or a line break', how: STORE_AS_ONE_LINE };
  if (key.startsWith('eyJ')) return { what: LEGACY, how: CREATE_NEW };
  if (!key.startsWith('ak_')) return { what: 'is not an API key: it does not begin with ak_', how: CREATE };
  if (key === 'ak_') return { what: 'ends after ak_', how: STORE_AS_SHOWN };
  const isForeign = !/^[\x21-\x7e]*$/.test(key);
  return isForeign ? { what: 'contains an invalid character', how: STORE_AS_SHOWN } : undefined;
}

const KEY_MISSING =
  'Pass a secret, such as api-key: ${{ secrets.PIPELINE_API_KEY }}. GitHub passes no secrets to workflows for pull ' +
  "requests from forks or from Dependabot. It passes an environment's secrets only to jobs that name it.";
const LEGACY = 'is a legacy API key (it begins with eyJ), which the service does not accept here';
const CREATE_NEW = 'Create one that begins with ak_ under Settings → API Keys.';
const CREATE = 'Store only the key, without quotation marks. Create one under Settings → API Keys.';
const STORE_AS_ONE_LINE = 'Store the key again, on one line and without quotation marks.';
const STORE_AS_SHOWN = 'Store the key again, exactly as the application showed it.';
const PROXY_REMEDY =
  'Write http://HOST:PORT or http://USER:PASSWORD@HOST:PORT, with the special characters of the password percent-encoded.';

/** Checks the https proxy even if `no_proxy` excludes `base-url`, because the exchange may name other hosts. */
export function mistakeInProxy(env: Environment): SecretMistake | undefined {
  // The action uses http only for hosts on this machine, which need no proxy.
  const proxy = checkProxy(env, 'https:');
  if (proxy.ok) return undefined;
  return { what: `the environment variable ${proxy.variable} ${proxy.why}`, how: PROXY_REMEDY };
}

/** Reads the inputs for the connection to the service. `baseUrl` is undefined if that input has a mistake. */
export function readConnection(read: InputReader, env: Environment) {
  const apiKey = read.text('api-key');
  const wrongKey = mistakeInKey(apiKey);
  if (wrongKey !== undefined) read.mistake('api-key', `${wrongKey.what}. ${wrongKey.how}`);
  const address = read.text('base-url');
  const checked = checkAddress(address);
  const example = 'such as https://app.example.com.';
  if (address === '') read.mistake('base-url', `is empty. Write the address of the service, ${example}`);
  else if (!checked.ok) read.wrongAddress('base-url', checked.why, `Write only the address of the service, ${example}`);
  const wrongProxy = mistakeInProxy(env);
  if (wrongProxy !== undefined) read.mistakes.push(`${cap(wrongProxy.what)}. ${wrongProxy.how}`);
  return { apiKey, baseUrl: checked.ok ? checked.url : undefined };
}
