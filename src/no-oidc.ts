// Stands in for @actions/http-client within @actions/core, which uses it for OpenID Connect alone. This action asks
// for no such token; with the real one, every start would load HTTP and TLS, also one that ends on a wrong input.

const WHY = 'run-pipeline is bundled without OpenID Connect';

/** Throws: whoever calls it needs the real package. */
export function HttpClient(): never {
  throw new Error(WHY);
}

/** Throws: whoever calls it needs the real package. */
export function BearerCredentialHandler(): never {
  throw new Error(WHY);
}
