/** Ends a value of several lines. No line of such a value of ours can be this. */
const END = 'end_of_run_pipeline_value';

/**
 * One record for the runner: `key=value`, and nothing else, since act gives a file up at the first empty line. Only
 * a value of several lines takes the runner's other form, which when torn makes the runner drop everything behind
 * it: write those last. Throws for a value that would end that form early.
 */
export function fileRecord(key: string, value: string): string {
  if (!/[\r\n]/.test(value)) return `${key}=${value}\n`;
  if (value.split(/[\r\n]/).includes(END)) throw new Error(`the output ${key} contains a line that ends it`);
  return `${key}<<${END}\n${value}\n${END}\n`;
}
