// Stops steps at every instant and in every way while the service responds normally, responds slowly, or fails.
import { vi } from 'vitest';
import { CELLS } from '../support/e2e-matrix/cells.ts';
import { testCells } from '../support/e2e-matrix/verdict.ts';

vi.setConfig({ maxConcurrency: 8 });

testCells(CELLS);
