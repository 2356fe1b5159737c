// Sends the action's requests with the published client for PostgREST, as a short script in a workflow would.
import { PostgrestClient } from '@supabase/postgrest-js';

const key = process.env['INPUT_API-KEY'] ?? '';
const baseUrl = process.env['INPUT_BASE-URL'] ?? '';
if (key === '') {
  process.stdout.write('::error::Input required and not supplied: api-key\n');
  process.exit(1);
}

const response = await fetch(`${baseUrl}/api/cli/bootstrap`, {
  method: 'POST',
  headers: { authorization: `Bearer ${key}` },
});
const grant = await response.json();
const client = new PostgrestClient(`${grant.backend_url}/rest/v1`, {
  headers: { authorization: `Bearer ${grant.token}`, apikey: grant.backend_anon_key },
});
const { data: id } = await client
  .rpc('create_pipeline_run_job', {
    p_pipeline_id: process.env.INPUT_PIPELINE,
    p_job_type: 'pipeline_run',
    p_full_resync: false,
    p_reset_target: false,
  })
  .throwOnError();

const inProgress = ['queued', 'picked', 'running'];
const columns = 'id,job_status,status_message';
process.on('SIGINT', async () => {
  const cancelled = { job_status: 'cancelled' };
  await client.from('jobs').update(cancelled).eq('id', id).in('job_status', inProgress).select(columns).throwOnError();
  process.exit(1);
});
for (let status = 'queued'; inProgress.includes(status); ) {
  await new Promise((resolve) => setTimeout(resolve, 1));
  const { data } = await client.from('jobs').select(columns).eq('id', id).throwOnError();
  status = data[0].job_status;
}
process.exit(0);
