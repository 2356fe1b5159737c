/** Reads a table of `|` columns: its first line names the columns, the first cell of each further line the row. */
export function readTable(text: string): {
  readonly columns: readonly string[];
  readonly rows: readonly string[];
  /** Empty where the table has a hole. */
  readonly cell: (row: string, column: string) => string;
} {
  const [head = [], ...lines] = text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => line.split('|').map((cell) => cell.trim()));
  const columns = head.slice(1);
  const byRow = new Map(lines.map(([row = '', ...cells]) => [row, cells]));
  return {
    columns,
    rows: lines.map(([row = '']) => row),
    cell: (row, column) => byRow.get(row)?.[columns.indexOf(column)] ?? '',
  };
}
