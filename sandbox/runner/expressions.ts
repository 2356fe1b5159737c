/** The values of `job.status`. */
export type JobStatus = 'success' | 'failure' | 'cancelled';

/** Evaluates the expressions in an input's default. Throws at any but those that metadata files here use. */
export function evaluate(text: string, jobStatus: JobStatus): string {
  return text.replace(/\$\{\{(.*?)\}\}/gs, (_, expression: string) => {
    if (expression.trim() !== 'job.status') throw new Error(`cannot evaluate ${expression.trim()}`);
    return jobStatus;
  });
}

/** Evaluates a `post-if`: a bare condition. Throws at any but the four status functions, perhaps negated. */
export function holds(condition: string, jobStatus: JobStatus): boolean {
  const [, not, name] = /^(!?)(always|success|failure|cancelled)\(\)$/.exec(condition.trim()) ?? [];
  if (name === undefined) throw new Error(`cannot evaluate ${condition}`);
  return (name === 'always' || name === jobStatus) !== (not === '!');
}
