import type { IncomingMessage } from 'node:http';
import { finished, type Transform } from 'node:stream';
import { isCompleteJson } from '../base/json.ts';
import { codingsOf, decoderFor, isDecodable } from './encoding.ts';
import type { Answered, BodyEnd, Limits } from './send.ts';

/** If a body is longer, `isEnough` is no longer called, because many small chunks would make that quadratic. */
const ENOUGH_BYTES = 1_024;

type Body = Pick<Answered, 'text' | 'body'>;
type BodyLimits = Pick<Limits, 'isEnough' | 'maxBytes'> & { readonly signal: AbortSignal };

/** Reads and decodes the body of a response until it ends, exceeds a limit, is enough, or the signal aborts. */
export function readBody(message: IncomingMessage, limits: BodyLimits): Promise<Body> {
  return new Promise((resolve) => new BodyReader(message, limits, resolve).start());
}

class BodyReader {
  readonly #message: IncomingMessage;
  readonly #limits: BodyLimits;
  readonly #resolve: (body: Body) => void;
  readonly #codings: string;
  #receivedBytes = 0;
  /** How the body ended, apart from its coding. */
  #received: 'complete' | 'cut off' | 'too large' | undefined;
  /** Created when the first byte has arrived. */
  #decoder: Transform | undefined;
  /** Resolves when all received chunks have been decoded. */
  #written = Promise.resolve();
  readonly #decoded: Buffer[] = [];
  #decodedBytes = 0;
  /** Only the first end counts, because decoding a long body takes time. */
  #isOver = false;

  constructor(message: IncomingMessage, limits: BodyLimits, resolve: (body: Body) => void) {
    this.#message = message;
    this.#limits = limits;
    this.#resolve = resolve;
    this.#codings = codingsOf(message.headers);
  }

  start(): void {
    this.#message.on('data', (chunk: Buffer) => this.#receive(chunk));
    finished(this.#message, (error) => {
      // If the end of the connection delimits a body, Node calls the body complete even after a reset.
      const isBroken = error || (!this.#isFramed && this.#message.socket.errored);
      this.#onReceived(isBroken ? 'cut off' : 'complete');
    });
    this.#limits.signal.addEventListener('abort', () => this.#end('stalled'));
  }

  #receive(chunk: Buffer): void {
    if (this.#received !== undefined) return;
    const { maxBytes } = this.#limits;
    const within = chunk.subarray(0, maxBytes - this.#receivedBytes);
    this.#receivedBytes += chunk.length;
    if (isDecodable(this.#codings)) this.#decode(within);
    else this.#add(within);
    if (this.#receivedBytes > maxBytes) this.#onReceived('too large');
  }

  /**
   * Decodes one chunk at a time. If the end arrived while a chunk was waiting, zlib would discard the data that it has
   * decoded.
   */
  #decode(chunk: Buffer): void {
    const write = async (): Promise<void> => {
      this.#decoder ??= this.#watched(await decoderFor(this.#codings, chunk[0] ?? 0));
      const decoder = this.#decoder;
      await new Promise((resolve) => decoder.write(chunk, resolve));
    };
    this.#written = this.#written.then(write).catch(() => this.#end('undecodable'));
  }

  #watched(decoder: Transform): Transform {
    decoder.on('data', (chunk: Buffer) => this.#add(chunk));
    finished(decoder, (error) => this.#onDecoded(error ?? undefined));
    return decoder;
  }

  #add(chunk: Buffer): void {
    const { isEnough, maxBytes } = this.#limits;
    this.#decoded.push(chunk.subarray(0, Math.max(0, maxBytes - this.#decodedBytes)));
    this.#decodedBytes += chunk.length;
    if (this.#decodedBytes > maxBytes) this.#end('too large');
    else if (this.#decodedBytes <= ENOUGH_BYTES && isEnough?.(this.#text)) this.#finish('complete');
  }

  /** The body as UTF-8. Invalid bytes become U+FFFD. */
  get #text(): string {
    return new TextDecoder().decode(Buffer.concat(this.#decoded));
  }

  #onReceived(how: 'complete' | 'cut off' | 'too large'): void {
    this.#received ??= how;
    void this.#written.then(() => (this.#decoder === undefined ? this.#onDecoded() : this.#decoder.end()));
  }

  #onDecoded(error?: NodeJS.ErrnoException): void {
    // The decoder's input ended too early.
    if (error?.code === 'Z_BUF_ERROR') this.#end(this.#received === 'too large' ? 'too large' : 'cut off');
    else this.#end(error === undefined ? (this.#received ?? 'complete') : 'undecodable');
  }

  /** Ends the reading. If the end of the body does not prove that it is complete, the body gets a separate kind. */
  #end(how: BodyEnd): void {
    if (this.#isOver) return;
    const isEncoded = this.#codings !== '' && !isDecodable(this.#codings);
    if (how === 'too large' || how === 'undecodable' || (this.#isFramed && !isEncoded)) {
      this.#finish(how);
      return;
    }
    const text = this.#text;
    const isJson = isCompleteJson(text);
    if (isEncoded && !isJson) this.#finish('undecodable', text);
    else this.#finish(this.#isFramed || (how === 'complete' && isJson) ? how : 'unframed', text);
  }

  #finish(body: BodyEnd, text = this.#text): void {
    this.#isOver = true;
    this.#resolve({ text, body });
    this.#decoder?.destroy();
  }

  get #isFramed(): boolean {
    const { headers, statusCode = 0 } = this.#message;
    const isChunked = /(?:^|,)\s*chunked\s*$/i.test(headers['transfer-encoding'] ?? '');
    return isChunked || headers['content-length'] !== undefined || statusCode === 204 || statusCode === 304;
  }
}
