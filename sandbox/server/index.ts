/** The service on a port of this machine. */
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
