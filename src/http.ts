// A separate bundle that the action loads for the first request.
export { createHttpConnection } from './service/http/node-http.ts';
