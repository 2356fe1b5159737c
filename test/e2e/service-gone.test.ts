// Stops steps at every instant while the service is permanently unreachable. Post would retry for three minutes, so the
// tests send SIGINT to post.
import { vi } from 'vitest';
import { CELLS_WITHOUT_SERVICE } from '../support/e2e-matrix/cells.ts';
import { testCells } from '../support/e2e-matrix/verdict.ts';

// Most of these tests wait, because main gives up after 9.3 s, and post gives up 6.5 s after SIGINT.
vi.setConfig({ maxConcurrency: 20 });

testCells(CELLS_WITHOUT_SERVICE);
