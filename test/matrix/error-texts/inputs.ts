// Scenes that show the error for every mistake in the inputs or in https_proxy.
import { API_KEY, JOB } from '../../support/service.ts';
import { inputs, type Scene, steps } from './scene.ts';
import { RESET, RUN } from './shared.ts';

const TWO = 'orders\ncustomers';

export const INPUT_SCENES: readonly Scene[] = [
  inputs(
    'api-key is invalid, or another input contains the key',
    { 'api-key': '' },
    { 'api-key': 'ak_0123\n4567' },
    { 'api-key': 'eyJhbGciOiJIUzI1NiJ9.e30.x' },
    { 'api-key': 'ghp_0123456789' },
    { 'api-key': 'ak_' },
    { 'api-key': 'ak_0123•' },
    { timeout: API_KEY },
  ),
  inputs(
    'base-url is not a valid address',
    { 'base-url': '' },
    { 'base-url': 'app.example.com' },
    { 'base-url': 'http://app.example.com' },
    { 'base-url': 'ftp://app.example.com' },
    { 'base-url': 'https://user:secret@app.example.com' },
    { 'base-url': 'https://app.example.com/?a=1' },
    { 'base-url': 'https://app.example.com/#a' },
    { 'base-url': 'https://127。0。0。1.example.com' },
  ),
  steps(
    'https_proxy is not a valid address',
    ...[
      'http://user:secret@proxy:99999',
      'http://user:secret%zz@proxy:3128',
      'socks5://proxy:1080',
      'http://user:1#secret@proxy',
    ].map((https_proxy) => ({ env: { https_proxy } })),
  ),
  inputs(
    'pipeline or job-id is missing or invalid',
    { pipeline: '', wait: 'false' },
    { pipeline: 'orders\norders' },
    { pipeline: Array.from({ length: 1_001 }, (_, index) => `pipeline ${index}`).join('\n') },
    { pipeline: '', 'job-id': '17\nlast' },
    { pipeline: '', 'job-id': `${JOB}\n${JOB}` },
    { 'job-id': `${JOB}\n${JOB.replace('1', '2')}` },
    { pipeline: TWO, 'job-id': JOB },
  ),
  inputs(
    'inputs contradict each other',
    { 'reset-target': 'true' },
    { ...RESET, 'on-lost-response': 'retry' },
    { ...RESET, pipeline: TWO },
    { ...RESET, 'max-attempts': '2' },
    { ...RESET, ...RUN },
    { ...RUN, wait: 'false' },
    { 'max-attempts': '2', 'retry-on': 'cancelled, skipped, completed' },
  ),
  inputs(
    'an input is not a number, a status or a choice',
    { 'max-parallel': 'two', 'max-attempts': '11', 'succeed-on': 'completed, done', wait: 'yes', 'on-cancel': 'stop' },
    { 'succeed-on': ',', 'retry-on': 'done' },
  ),
  inputs(
    'an input is not a duration',
    { timeout: '4.25', 'max-outage': '0s', 'poll-interval': '5s' },
    { timeout: 'in 45' },
    { timeout: '0s' },
    { timeout: '60d' },
  ),
  inputs(
    'run-url is not a valid template',
    { 'run-url': `https://app.example.com/{job-id}/${'x'.repeat(2_000)}` },
    { 'run-url': 'https://app.example.com/ {job-id}' },
    { 'run-url': 'https://app.example.com/{run}' },
    { 'run-url': 'https://app.example.com/runs' },
    { 'run-url': 'https://app.example.com/{job-id}/{' },
  ),
];
