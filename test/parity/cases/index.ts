import type { Case } from '../case.ts';
import { authorizationCases } from './authorization.ts';
import { cancelCases } from './cancel.ts';
import { listCases } from './list.ts';
import { readCases } from './read.ts';
import { routeCases } from './routes.ts';
import { triggerCases } from './trigger.ts';

export const CASES: readonly Case[] = [
  ...authorizationCases,
  ...listCases,
  ...readCases,
  ...triggerCases,
  ...cancelCases,
  ...routeCases,
];
