import { alike, type Difference, QUEUED, queues } from './difference.ts';

/** Where the other service is not as PostgREST is, and the sandbox is. */
export const mistakes: readonly Difference[] = [
  {
    why: [
      'Supabase Lite 0.10 hands over arguments as JavaScript turns them into text, where PostgREST hands over JSON.',
      'The sandbox takes nothing but true and false for a truth, as the interface says.',
    ].join(' '),
    cases: {
      'trigger: a list for an id': queues('400 22P02'),
      'trigger: a list': { answer: ['400 PGRST102', '400 22P02'] },
      'trigger: a list of a number': { answer: ['400 PGRST102', '400 22P02'] },
      ...alike(['trigger: a word for true', 'trigger: a number for true', 'trigger: a word that is no truth'], {
        answer: ['400 22P02', '500 SUP'],
      }),
    },
  },
  {
    why: [
      'Out of a body that names no field Supabase Lite 0.10 makes broken SQL.',
      'PostgREST changes nothing then, and finds no function.',
    ].join(' '),
    cases: {
      'trigger: an empty list': { answer: ['404 PGRST202', '404 42883'] },
      ...alike(['cancel: an empty list', 'cancel: a number'], { answer: ['200 []', '400 42601'] }),
    },
  },
  {
    why: 'Supabase Lite 0.10 keeps the last filter of a field; PostgREST wants all of them to be true.',
    cases: { 'read: an id twice, differently': { answer: ['200 []', QUEUED] } },
  },
];
