// A bundle of its own: what brings HTTP and TLS along is loaded when the first request leaves, and not before.
export { createHttpWire } from './service/http-wire.ts';
