import { API_KEY, JOB, PIPELINE } from '../../support/service.ts';
import { type Scene, step, withInputs } from './scene.ts';

const TWO = 'orders\ncustomers';
const OTHER_JOB = JOB.replace('1', '2');

/** Every mistake in the inputs. */
export const INPUT_SCENES: readonly Scene[] = [
  withInputs('the API key is empty', { 'api-key': '' }),
  withInputs('the API key is in two lines', { 'api-key': 'ak_0123\n4567' }),
  withInputs('the API key is a legacy one', { 'api-key': 'eyJhbGciOiJIUzI1NiJ9.e30.x' }),
  withInputs('the API key is something else', { 'api-key': 'ghp_0123456789' }),
  withInputs('the API key is cut off', { 'api-key': 'ak_' }),
  withInputs('the API key has an odd character', { 'api-key': 'ak_0123•' }),
  withInputs('the API key stands in another input as well', { timeout: API_KEY }),
  withInputs('the address is empty', { 'base-url': '' }),
  withInputs('the address is none', { 'base-url': 'app.example.com' }),
  withInputs('the address is not https', { 'base-url': 'http://app.example.com' }),
  withInputs('the address has another scheme', { 'base-url': 'ftp://app.example.com' }),
  withInputs('the address has credentials', { 'base-url': 'https://user:secret@app.example.com' }),
  withInputs('the address has a query', { 'base-url': 'https://app.example.com/?a=1' }),
  withInputs('the address has a fragment', { 'base-url': 'https://app.example.com/#a' }),
  ...[
    'http://user:secret@proxy:99999',
    'http://user:secret%zz@proxy:3128',
    'socks5://proxy:1080',
    'http://user:1#secret@proxy',
  ].map((https_proxy) => step(`https_proxy is ${https_proxy}`, { env: { https_proxy } })),
  withInputs('no pipeline', { pipeline: '' }),
  withInputs('a pipeline twice', { pipeline: 'orders\norders' }),
  withInputs('more pipelines than one step sees to', {
    pipeline: Array.from({ length: 1_001 }, (_, index) => `pipeline ${index}`).join('\n'),
  }),
  withInputs('a job-id that is none', { pipeline: '', 'job-id': '17\nlast' }),
  withInputs('a job-id twice', { pipeline: '', 'job-id': `${JOB}\n${JOB}` }),
  withInputs('several runs beside a pipeline', { 'job-id': `${JOB}\n${OTHER_JOB}` }),
  withInputs('several pipelines beside a run', { pipeline: TWO, 'job-id': JOB }),
  withInputs('reset-target alone', { 'reset-target': 'true' }),
  withInputs('reset-target with on-lost-response: retry', {
    'reset-target': 'true',
    'full-resync': 'true',
    'on-lost-response': 'retry',
  }),
  withInputs('reset-target for several', { pipeline: TWO, 'reset-target': 'true', 'full-resync': 'true' }),
  withInputs('options for a run that exists', {
    pipeline: '',
    'job-id': JOB,
    'full-resync': 'true',
    'reset-target': 'true',
    wait: 'false',
  }),
  withInputs('max-parallel is no number', { 'max-parallel': 'two' }),
  withInputs('a poll-interval below what is allowed', { 'poll-interval': '5s' }),
  withInputs('an unknown status', { 'succeed-on': 'completed, done' }),
  withInputs('no status', { 'succeed-on': ',' }),
  withInputs('a duration without a unit', { timeout: '45' }),
  withInputs('a duration that is none', { timeout: 'soon' }),
  withInputs('a duration of nothing', { timeout: '0s' }),
  withInputs('a duration of nothing where one is needed', { 'max-outage': '0s' }),
  withInputs('a duration beyond all jobs', { timeout: '60d' }),
  withInputs('a boolean that is none', { wait: 'yes' }),
  withInputs('a choice that is none', { 'on-cancel': 'stop' }),
  withInputs('a run-url that is none', { 'run-url': 'app.example.com/{job-id}' }),
  withInputs('a run-url that is too long', {
    'run-url': `https://app.example.com/{job-id}/${'x'.repeat(2_000)}`,
  }),
  withInputs('a run-url with white space', { 'run-url': 'https://app.example.com/ {job-id}' }),
  withInputs('a run-url with something unknown', { 'run-url': 'https://app.example.com/{run}' }),
  withInputs('a run-url without a run', { 'run-url': 'https://app.example.com/runs' }),
  withInputs('a run-url with half a brace', { 'run-url': 'https://app.example.com/{job-id}/{' }),
  withInputs('several mistakes', {
    'api-key': '',
    'base-url': '',
    pipeline: `${PIPELINE}, orders`,
    timeout: '5',
  }),
];
