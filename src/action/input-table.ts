/** Every input of action.yml: its default there, and whether the runner should insist on it. One place for both. */
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
  'max-parallel': {},
  'fail-fast': { default: 'false' },
  'retry-trigger': { default: 'safe' },
  'max-outage': { default: '15m' },
  'run-url': {},
  'dry-run': { default: 'false' },
  summary: { default: 'true' },
  'internal-job-status': { default: '${{ job.status }}' },
} as const satisfies Record<string, { readonly required?: true; readonly default?: string }>;

export type InputName = keyof typeof INPUTS;

/** What an input stands for when nothing was given: the default of action.yml, also where a wrapper passes ''. */
export function defaultOf(name: InputName): string {
  const input = INPUTS[name];
  return 'default' in input ? input.default : '';
}
