/** The UUID of a pipeline of a life, by its place. */
export function pipelineId(index: number): string {
  return `5eed0000-0000-4000-8000-${String(index + 1).padStart(12, '0')}`;
}
