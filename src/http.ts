// A bundle of its own, which is loaded for the first request.
export { createHttpConnection } from './service/http/node-http.ts';
