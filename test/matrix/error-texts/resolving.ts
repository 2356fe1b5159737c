// Scenes in which the step cannot find a pipeline or read an earlier run.
import { meets } from '../../support/meeting.ts';
import { answers, type Step } from '../../support/scripted-wire.ts';
import { JOB, PIPELINE } from '../../support/service.ts';
import { type Scene, steps } from './scene.ts';
import { RESET, RUN } from './shared.ts';

const OTHER = PIPELINE.replace('9', '8');

function listing(...rows: readonly (readonly [name: string, apiName: string | null, id?: string])[]) {
  const list = rows.map(([pipeline_name, pipeline_api_name, pipeline_id = PIPELINE]) => {
    return { pipeline_id, pipeline_name, pipeline_api_name };
  });
  return { list: (): readonly Step[] => answers(200, list) };
}

const ONE = ['Orders', 'orders'] as const;
const TWO = listing(ONE, ['Orders EU', 'orders_eu', OTHER]);
const MANY = listing(...Array.from({ length: 1_000 }, () => ONE));
const MISSING = { read: meets('no_rows') };
const AWAY = { read: meets('http_503') };
const DRY_RUN = { ...RUN, 'dry-run': 'true' };

export const RESOLVING_SCENES: readonly Scene[] = [
  steps(
    'the pipeline input matches no pipeline, several pipelines or one pipeline twice',
    { inputs: { pipeline: 'order' }, scripts: TWO },
    { inputs: { pipeline: 'invoices' }, scripts: TWO },
    { inputs: { pipeline: 'invoices, crm' }, scripts: TWO },
    { inputs: { pipeline: 'invoices' }, scripts: MANY },
    { inputs: RESET, scripts: MANY },
    { inputs: { pipeline: 'Orders' }, scripts: listing(ONE, ['Orders', null, OTHER]) },
    { inputs: { pipeline: `orders\n${PIPELINE}` } },
    { inputs: { pipeline: OTHER, 'dry-run': 'true' }, scripts: listing(ONE) },
  ),
  steps('ten names match no pipeline', {
    inputs: { pipeline: Array.from({ length: 10 }, (_, index) => `invoices ${index}`).join('\n') },
    scripts: listing(),
  }),
  steps(
    'a dry run cannot read the run in job-id',
    { inputs: DRY_RUN, scripts: AWAY },
    { inputs: DRY_RUN, scripts: { read: meets('no_response') }, interruptAtMs: 5_000 },
  ),
  steps(
    'the run in job-id is missing or cannot be read',
    { inputs: { 'job-id': JOB }, scripts: MISSING },
    { inputs: { 'job-id': JOB }, scripts: AWAY },
    { inputs: RUN, scripts: MISSING },
  ),
];
