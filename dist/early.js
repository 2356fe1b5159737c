export const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGBREAK', 'SIGHUP'];
export const parentAtStart = process.ppid;
const OLDEST = { major: 20, minor: 16 };
export function complaintAboutNode(version = process.versions.node) {
    const [major = 0, minor = 0] = version.split('.').map(Number);
    if (major > OLDEST.major || (major === OLDEST.major && minor >= OLDEST.minor))
        return undefined;
    return `This action needs Node.js ${OLDEST.major}.${OLDEST.minor} or newer, but the runner started it with Node.js ${version}. Update the runner or the Node.js on its PATH.`;
}
export function refuse(title, why, error) {
    printAndExit(`::error title=${title}::${withCause(why, error)}\n`, 1);
}
export function warnAboutRuns(env, why, error) {
    const ids = keptIds(env).join(', ');
    const runs = ids === ''
        ? 'The state of this step contains no run id.'
        : `Check these runs in the application, and cancel any that should not continue: ${ids}`;
    printAndExit(`::warning title=run-pipeline::${withCause(why, error)} ${runs}\n`, 0);
}
function withCause(why, error) {
    const cause = error === undefined ? '' : ` (${error instanceof Error ? error.message : 'unknown error'})`;
    return `${why}${cause}`.replace(/%/g, '%25').replace(/\s+/g, ' ');
}
export const PRINT_WITHIN_MS = 5_000;
export function printAndExit(line, code) {
    const exit = () => process.exit(code);
    setTimeout(exit, PRINT_WITHIN_MS);
    process.stdout.on('error', exit);
    process.stdout.write(line, exit);
}
export function isIdle(env) {
    try {
        const { idle } = JSON.parse(env['STATE_run_pipeline_end'] ?? '');
        return idle === 'always' || (idle === 'unless_cancelled' && env['INPUT_INTERNAL-JOB-STATUS'] !== 'cancelled');
    }
    catch {
        return false;
    }
}
export function keptIds(env) {
    const lines = Object.keys(env).filter((name) => /^STATE_run_pipeline_\d+$/.test(name));
    return lines.flatMap((name) => /"jobId":"([0-9a-f-]{36})"/.exec(env[name] ?? '')?.[1] ?? []);
}
export function hasState(env) {
    return Object.keys(env).some((name) => name.startsWith('STATE_run_pipeline'));
}
