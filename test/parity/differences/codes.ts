import { alike, type Difference } from './difference.ts';

/** Codes of errors that nobody promises. */
export const codes: readonly Difference[] = [
  {
    why: 'The code of what the function itself raises is up to the function: P0001 by default in PostgreSQL.',
    cases: {
      ...alike(
        [
          'trigger: an unknown pipeline',
          'trigger: a pipeline of another workspace',
          'trigger: an inactive pipeline',
          'trigger: an inactive pipeline without credits',
          'trigger: another type of job',
          'trigger: null for the type of job',
          'trigger: a number for the type of job',
          'trigger: a reset without a resync',
        ],
        { answer: ['400 P0001', '400 PT400'] },
      ),
      ...alike(['trigger: null for an id', 'trigger: null for a truth'], { answer: ['400 22P02', '400 PT400'] }),
    },
  },
  {
    why: [
      'Who has no token is nobody: the sandbox does not know that role, and in the other service it may do nothing.',
      'Supabase Lite 0.10 says so of what is no token at all, too, where PostgREST says PGRST301.',
    ].join(' '),
    cases: {
      ...alike(
        [
          'read: without Authorization',
          'list: without Authorization',
          'trigger: without Authorization',
          'cancel: without Authorization',
          'read: with an empty token',
          'read: with a name and a password',
        ],
        { answer: ['401 PGRST302', '401 42501'] },
      ),
      ...alike(
        [
          'read: with the API key for the token',
          'read: with the apikey for the token',
          'read: with a token that is none',
          'read: with a token that nobody signed',
        ],
        { answer: ['401 PGRST301', '401 42501'] },
      ),
    },
  },
];
