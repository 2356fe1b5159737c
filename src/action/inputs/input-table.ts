/** The inputs of action.yml, each with its default and with `required` where action.yml sets it. */
export const INPUTS = {
  'api-key': { required: true },
  'base-url': { required: true },
  pipeline: {},
  'job-id': {},
  'full-resync': { default: 'false' },
  'reset-target': { default: 'false' },
  wait: { default: 'true' },
  'poll-interval': { default: '30s' },
  timeout: {},
  'queue-timeout': {},
  'on-timeout': {},
  'on-cancel': {},
  'succeed-on': { default: 'completed, completed_with_warning, skipped' },
  'max-attempts': { default: '1' },
  'retry-on': { default: 'failed, timed_out' },
  'retry-delay': { default: '1m' },
  'max-parallel': {},
  'fail-fast': { default: 'false' },
  'on-lost-response': { default: 'fail' },
  'max-outage': { default: '15m' },
  'run-url': {},
  'dry-run': { default: 'false' },
  summary: { default: 'true' },
  'internal-job-status': { default: '${{ job.status }}' },
} as const satisfies Record<string, { readonly required?: true; readonly default?: string }>;

export type InputName = keyof typeof INPUTS;

/** The inputs of cancel/action.yml. */
export const CANCEL_INPUTS: readonly InputName[] = ['api-key', 'base-url', 'job-id'];

/** Returns an input's default. The action applies defaults itself, because a wrapper may pass an empty string. */
export function defaultOf(name: InputName): string {
  const input = INPUTS[name];
  return 'default' in input ? input.default : '';
}

/** Environment variables, keyed by name. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Reads an input from `INPUT_<NAME>`, where the runner puts it. Returns the trimmed value, or '' if it is unset. */
export function inputOf(env: Environment, name: string): string {
  return env[`INPUT_${name.toUpperCase()}`]?.trim() ?? '';
}
