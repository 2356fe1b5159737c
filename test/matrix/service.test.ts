import { describe, expect, it } from 'vitest';
import { CALLS } from './fault.ts';
import { FAULT_NAMES } from './faults.ts';
import { serviceCell } from './service-cell.ts';
import { SERVICE_TABLE } from './service-table.ts';
import { readTable } from './table.ts';

const table = readTable(SERVICE_TABLE);

describe('the table of calls and faults', () => {
  it('has a row for each fault, and a column for each call', () => {
    expect(table.rows).toEqual(FAULT_NAMES);
    expect(table.columns).toEqual(CALLS);
  });
});

describe.each(CALLS)('%s', (call) => {
  it.each(FAULT_NAMES)('%s', async (fault) => {
    const { text, timersLeft } = await serviceCell(fault, call);
    expect(text).toBe(table.cell(fault, call));
    expect(timersLeft).toBe(0);
  });
});
