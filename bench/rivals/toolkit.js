// Sends the action's requests with core and http-client as their READMEs suggest. The benchmark bundles this with ncc.
import * as core from '@actions/core';
import { HttpClient } from '@actions/http-client';

const POLL_MS = Number(process.env.POLL_MS ?? '30000');

async function run() {
  const key = core.getInput('api-key', { required: true });
  core.setSecret(key);
  const client = new HttpClient('toolkit-example');
  const base = process.env.BASE_URL;
  const first = await client.postJson(`${base}/api/cli/bootstrap`, undefined, { authorization: `Bearer ${key}` });
  const { token, backend_url: api, backend_anon_key: apikey } = first.result;
  core.setSecret(token);
  const headers = { authorization: `Bearer ${token}`, apikey };
  const order = { p_pipeline_id: process.env.PIPELINE, p_job_type: 'pipeline_run' };
  const { result: id } = await client.postJson(`${api}/rest/v1/rpc/create_pipeline_run_job`, order, headers);
  core.setOutput('job-id', id);
  const ends = ['completed', 'completed_with_warning', 'failed', 'cancelled', 'timed_out', 'skipped'];
  const url = `${api}/rest/v1/jobs?id=eq.${id}`;
  process.on('SIGINT', () => {
    client
      .patchJson(
        `${url}&job_status=in.(queued,picked,running)&select=id,job_status,status_message`,
        { job_status: 'cancelled' },
        { ...headers, prefer: 'return=representation' },
      )
      .then(() => process.exit(1));
  });
  for (let status = 'queued'; !ends.includes(status); ) {
    await new Promise((resolve) => setTimeout(resolve, Math.min(2000, POLL_MS)));
    const { result } = await client.getJson(`${url}&select=id,job_status,status_message`, headers);
    status = result[0].job_status;
  }
  core.setOutput('job-status', 'completed');
  process.exit(0);
}

run().catch((error) => {
  core.setFailed(error.message);
  process.exit(1);
});
