const OLDEST = { major: 20, minor: 16 };
function complaintAboutNode(version = process.versions.node) {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major > OLDEST.major || (major === OLDEST.major && minor >= OLDEST.minor)) return undefined;
  return `This action needs Node.js ${OLDEST.major}.${OLDEST.minor} or newer, but the runner started it with Node.js ${version}. Update the runner, or the Node.js on its PATH.`;
}
function refuse(title, why, error) {
  process.exitCode = 1;
  const cause = error === undefined ? '' : ` (${error instanceof Error ? error.message : 'unknown error'})`;
  process.stdout.write(`::error title=${title}::${`${why}${cause}`.replaceAll('%', '%25').replace(/\s+/g, ' ')}\n`);
}
function isIdle(env) {
  try {
    const { idle } = JSON.parse(env['STATE_run_pipeline_end'] ?? '');
    return idle === 'always' || (idle === 'unless_cancelled' && env['INPUT_INTERNAL-JOB-STATUS'] !== 'cancelled');
  } catch {
    return false;
  }
}
function keptIds(env) {
  const lines = Object.keys(env).filter((name) => /^STATE_run_pipeline_\d+$/.test(name));
  return lines.flatMap((name) => /"jobId":"([0-9a-f-]{36})"/.exec(env[name] ?? '')?.[1] ?? []);
}
const complaint = complaintAboutNode();
process.exitCode = 1;
if (complaint !== undefined) refuse('run-pipeline', `${complaint} Nothing was triggered.`);
else
  import('./index.js').then(
    ({ runMain }) => runMain(),
    (error) => refuse('run-pipeline', 'Nothing was triggered. The action could not be loaded.', error),
  );
