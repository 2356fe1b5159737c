import { checkProxy } from '../base/proxy.ts';
import type { Environment } from './environment.ts';
import type { InputReader } from './input-reader.ts';
import { cap } from './words.ts';

/** What is wrong with the proxy in the environment. Never shows its value. */
export interface ProxyMistake {
  /** Names the variable. Without a capital or a full stop. */
  readonly what: string;
  /** A sentence of its own. */
  readonly how: string;
}

/**
 * Returns what is wrong with the proxy, or undefined. Only the one for https is checked: the service's hosts are
 * reached over https, or over http on loopback, where no proxy is used. A mistake counts whatever `no_proxy` says,
 * because the exchange may name further hosts.
 */
export function mistakeInProxy(env: Environment): ProxyMistake | undefined {
  const proxy = checkProxy(env, 'https:');
  if (proxy.ok) return undefined;
  return {
    what: `the environment variable ${proxy.variable} ${proxy.why}`,
    how: 'Write http://HOST:PORT or http://USER:PASSWORD@HOST:PORT, with the special characters of the password percent-encoded.',
  };
}

/** Notes what is wrong with the proxy, beside what is wrong with the inputs. */
export function readProxy(read: InputReader, env: Environment): void {
  const wrong = mistakeInProxy(env);
  if (wrong !== undefined) read.mistakes.push(`${cap(wrong.what)}. ${wrong.how}`);
}
