/** Runs the model of the service on a local port. */
export { selfSigned } from './certificate.ts';
export type {
  ConnectionEffect,
  ConnectionRule,
  Framing,
  Point,
  Rule,
  WireEffect,
  WireRule,
} from './rules.ts';
export { startSandbox } from './start.ts';
export type { RequestRecord, Sandbox, SandboxOptions } from './types.ts';
