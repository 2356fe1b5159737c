// This is a separate bundle, which the action loads before the first request.
export { createHttpConnection } from './service/http/node-http.ts';
