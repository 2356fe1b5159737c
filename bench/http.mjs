// Sends the action's requests with node:http or node:https alone, over a connection that it reuses. Loaded with `require`, this
// is the least that any action could cost. An `import` also evaluates the module's getters, one of which loads Node's WebSocket
// and fetch.
const name = process.env['INPUT_BASE-URL']?.startsWith('https:') ? 'node:https' : 'node:http';
const { request } = process.argv[2] === 'require' ? process.getBuiltinModule(name) : await import(name);

const key = process.env['INPUT_API-KEY'] ?? '';
const baseUrl = process.env['INPUT_BASE-URL'] ?? '';
if (key === '') {
  process.stdout.write('::error::Input required and not supplied: api-key\n');
  process.exit(1);
}

function call(method, url, headers, body) {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, headers }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk) => {
        text += chunk;
      });
      response.on('end', () => resolve(JSON.parse(text)));
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

const grant = await call('POST', `${baseUrl}/api/cli/bootstrap`, { authorization: `Bearer ${key}` });
const rest = `${grant.backend_url}/rest/v1`;
const headers = { authorization: `Bearer ${grant.token}`, apikey: grant.backend_anon_key };
const json = { ...headers, 'content-type': 'application/json', prefer: 'return=representation' };
const order = {
  p_pipeline_id: process.env.INPUT_PIPELINE,
  p_job_type: 'pipeline_run',
  p_full_resync: false,
  p_reset_target: false,
};
const id = await call('POST', `${rest}/rpc/create_pipeline_run_job`, json, JSON.stringify(order));
const job = `${rest}/jobs?id=eq.${id}&select=id,job_status,status_message`;

process.on('SIGINT', async () => {
  await call('PATCH', `${job}&job_status=in.(queued,picked,running)`, json, '{"job_status":"cancelled"}');
  process.exit(1);
});
for (let status = 'queued'; ['queued', 'picked', 'running'].includes(status); ) {
  await new Promise((resolve) => setTimeout(resolve, 1));
  const [row] = await call('GET', job, headers);
  status = row.job_status;
}
process.exit(0);
