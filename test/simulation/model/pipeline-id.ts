/** The UUID of a pipeline by its place in an execution, and the place of the execution in its scenario. */
export function pipelineId(index: number, execution = 0): string {
  return `5eed0000-0000-4000-8000-${String(numberOf(index, execution)).padStart(12, '0')}`;
}

/** The id of a run that was there before the scenario began, in the same way. */
export function earlierId(index: number, execution = 0): string {
  return `0ea41e40-0000-4000-8000-${String(numberOf(index, execution)).padStart(12, '0')}`;
}

function numberOf(index: number, execution: number): number {
  return execution * 100 + index + 1;
}
