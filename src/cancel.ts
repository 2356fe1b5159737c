import { startCancel } from './start.ts';

startCancel();
