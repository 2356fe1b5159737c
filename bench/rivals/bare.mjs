// Sends the action's requests with node:http alone, which shows the minimum cost of any action.
import { request } from 'node:http';

const { BASE_URL = '', API_KEY = '', PIPELINE = '', POLL_MS = '30000' } = process.env;
if (API_KEY === '') {
  process.stdout.write('::error::Input required and not supplied: api-key\n');
  process.exit(1);
}

function call(method, url, headers, body) {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, headers }, (answer) => {
      let text = '';
      answer.setEncoding('utf8');
      answer.on('data', (chunk) => {
        text += chunk;
      });
      answer.on('end', () => resolve(JSON.parse(text)));
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

const grant = await call('POST', `${BASE_URL}/api/cli/bootstrap`, { authorization: `Bearer ${API_KEY}` });
const headers = { authorization: `Bearer ${grant.token}`, apikey: grant.backend_anon_key };
const order = { p_pipeline_id: PIPELINE, p_job_type: 'pipeline_run', p_full_resync: false, p_reset_target: false };
const id = await call(
  'POST',
  `${grant.backend_url}/rest/v1/rpc/create_pipeline_run_job`,
  { ...headers, 'content-type': 'application/json' },
  JSON.stringify(order),
);
const ends = ['completed', 'completed_with_warning', 'failed', 'cancelled', 'timed_out', 'skipped'];
const path = `/rest/v1/jobs?id=eq.${id}`;
process.on('SIGINT', () => {
  call(
    'PATCH',
    `${grant.backend_url}${path}&job_status=in.(queued,picked,running)&select=id,job_status,status_message`,
    { ...headers, 'content-type': 'application/json', prefer: 'return=representation' },
    '{"job_status":"cancelled"}',
  ).then(() => process.exit(1));
});
for (let status = 'queued'; !ends.includes(status); ) {
  await new Promise((resolve) => setTimeout(resolve, Math.min(2000, Number(POLL_MS))));
  const [job] = await call('GET', `${grant.backend_url}${path}&select=id,job_status,status_message`, headers);
  status = job.job_status;
}
process.exit(0);
