import { answers, type Step } from '../../support/scripted-wire.ts';
import { JOB, PIPELINE } from '../../support/service.ts';
import { FAULTS } from '../faults.ts';
import { type Scene, step } from './scene.ts';

const OTHER = PIPELINE.replace('9', '8');
const DROP = { 'reset-target': 'true', 'full-resync': 'true' };

function row(name: string | null, apiName: string | null, id: string = PIPELINE): object {
  return { pipeline_id: id, pipeline_name: name, pipeline_api_name: apiName };
}

function listing(...rows: readonly object[]): () => readonly Step[] {
  return () => answers(200, rows);
}

const ORDERS = listing(row('Orders', 'orders'), row('Orders EU', 'orders_eu', OTHER));
const NONE = listing();
const MANY = listing(...Array.from({ length: 1_000 }, () => row('Orders', 'orders')));
const SAME = listing(row('Orders', 'orders'), row('Orders', null, OTHER));
const READS_NOTHING = () => answers(200, '[]');

/** What is wrong with the pipelines and the runs that were named. */
export const RESOLVING_SCENES: readonly Scene[] = [
  step('a name with a typo', { inputs: { pipeline: 'order' }, scripts: { list: ORDERS } }),
  step('a name that nothing is like', { inputs: { pipeline: 'invoices' }, scripts: { list: ORDERS } }),
  step('two names with a comma', { inputs: { pipeline: 'invoices, crm' }, scripts: { list: ORDERS } }),
  step('no pipeline in the workspace', { scripts: { list: NONE } }),
  step('a name that may have been left out of the list', { inputs: { pipeline: 'invoices' }, scripts: { list: MANY } }),
  step('reset-target by a name of a list that may be cut off', { inputs: DROP, scripts: { list: MANY } }),
  step('a name of two pipelines', { inputs: { pipeline: 'Orders' }, scripts: { list: SAME } }),
  step('two spellings of one pipeline', { inputs: { pipeline: `orders\n${PIPELINE}` } }),
  step('more names that nothing is like than there is room for', {
    inputs: { pipeline: Array.from({ length: 10 }, (_, index) => `invoices ${index}`).join('\n') },
    scripts: { list: NONE },
  }),
  step('a dry run with an unknown UUID', {
    inputs: { pipeline: OTHER, 'dry-run': 'true' },
    scripts: { list: listing(row('Orders', 'orders')) },
  }),
  step('a dry run with a run that is not there', {
    inputs: { pipeline: '', 'job-id': JOB, 'dry-run': 'true' },
    scripts: { read: READS_NOTHING },
  }),
  step('a dry run while the service is away', {
    inputs: { pipeline: '', 'job-id': JOB, 'dry-run': 'true' },
    scripts: { read: (_nth, good) => FAULTS['HTTP 503'](good) },
  }),
  step('a dry run that is interrupted', {
    inputs: { pipeline: '', 'job-id': JOB, 'dry-run': 'true' },
    scripts: { read: () => [] },
    interruptAtMs: 5_000,
  }),
  step('an earlier run that is not there', { inputs: { 'job-id': JOB }, scripts: { read: READS_NOTHING } }),
  step('an earlier run that cannot be read', {
    inputs: { 'job-id': JOB },
    scripts: { read: (_nth, good) => FAULTS['HTTP 503'](good) },
  }),
  step('a run that is not there', { inputs: { pipeline: '', 'job-id': JOB }, scripts: { read: READS_NOTHING } }),
];
