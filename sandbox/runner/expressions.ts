/** The values of `job.status`. */
export type JobStatus = 'success' | 'failure' | 'cancelled';

/** Evaluates the expressions in an input's default. @throws for any that this repository's files do not use */
export function evaluate(text: string, jobStatus: JobStatus): string {
  return text.replace(/\$\{\{(.*?)\}\}/gs, (_, expression: string) => {
    if (expression.trim() !== 'job.status') throw new Error(`cannot evaluate ${expression.trim()}`);
    return jobStatus;
  });
}

/** Evaluates the condition `post-if`. @throws unless it is a status function, which may be negated */
export function holds(condition: string, jobStatus: JobStatus): boolean {
  const [, not, name] = /^(!?)(always|success|failure|cancelled)\(\)$/.exec(condition.trim()) ?? [];
  if (name === undefined) throw new Error(`cannot evaluate ${condition}`);
  return (name === 'always' || name === jobStatus) !== (not === '!');
}
