import { startMain } from './start.ts';

startMain();
