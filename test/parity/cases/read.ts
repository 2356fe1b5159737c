import { type Case, SELECT, UNKNOWN_ID } from '../case.ts';
import type { Jobs } from '../stage.ts';

type Query = string | ((jobs: Jobs) => string);

const right = (name: string, query: Query): Case => ({ ...wrong(name, query), right: true });
const wrong = (name: string, query: Query): Case => ({
  name: `read: ${name}`,
  asks: (jobs) => ({ method: 'GET', path: `/rest/v1/jobs?${typeof query === 'string' ? query : query(jobs)}` }),
});

export const readCases: readonly Case[] = [
  right('a queued job', ({ queued }) => `id=eq.${queued}&${SELECT}`),
  right('a picked job', ({ picked }) => `id=eq.${picked}&${SELECT}`),
  right('a running job', ({ running }) => `id=eq.${running}&${SELECT}`),
  right('a finished job', ({ finished }) => `id=eq.${finished}&${SELECT}`),
  right('a job of another workspace', ({ foreign }) => `id=eq.${foreign}&${SELECT}`),
  right('an unknown id', `id=eq.${UNKNOWN_ID}&${SELECT}`),
  right('an id in capitals', ({ queued }) => `id=eq.${queued.toUpperCase()}&${SELECT}`),
  right('an id in percents', ({ queued }) => `id=eq%2E${queued.replaceAll('-', '%2D')}&${SELECT}`),
  right('the status alone', ({ running }) => `id=eq.${running}&select=job_status`),
  right('the fields in another order', ({ running }) => `select=status_message,id&id=eq.${running}`),
  right('two ids', ({ running, queued }) => `id=in.(${running},${queued})&${SELECT}`),
  right('two ids in quotes', ({ running, queued }) => `id=in.("${running}","${queued}")&${SELECT}`),
  right('an id and a status that it has', ({ queued }) => `id=eq.${queued}&job_status=eq.queued&${SELECT}`),
  right('an id and a status that it has not', ({ queued }) => `id=eq.${queued}&job_status=eq.running&${SELECT}`),
  wrong('every job', SELECT),
  wrong('no ids', `id=in.()&${SELECT}`),
  wrong('no statuses', ({ queued }) => `id=eq.${queued}&job_status=in.()&${SELECT}`),
  wrong('an id twice, differently', ({ running, queued }) => `id=eq.${running}&id=eq.${queued}&${SELECT}`),
  wrong('an id without hyphens', ({ queued }) => `id=eq.${queued.replaceAll('-', '')}&${SELECT}`),
  wrong('an id in braces', ({ queued }) => `id=eq.{${queued}}&${SELECT}`),
  wrong('an id that is none', `id=eq.notauuid&${SELECT}`),
  wrong('an empty id', `id=eq.&${SELECT}`),
  wrong('a good id and one that is none', ({ queued }) => `id=in.(${queued},notauuid)&${SELECT}`),
  wrong('an id without operator', ({ queued }) => `id=${queued}&${SELECT}`),
  wrong('an unknown operator', ({ queued }) => `id=equals.${queued}&${SELECT}`),
  wrong('a list that does not end', ({ queued }) => `id=in.(${queued}&${SELECT}`),
  wrong('a list without brackets', ({ queued }) => `id=in.${queued}&${SELECT}`),
  wrong('an operator of PostgREST that is not in the interface', `job_status=like.que*&${SELECT}`),
  wrong('an order', ({ queued }) => `id=eq.${queued}&order=id&${SELECT}`),
  wrong('a limit', ({ queued }) => `id=eq.${queued}&limit=1&${SELECT}`),
  wrong('an unknown filter', `job=eq.1&${SELECT}`),
  wrong('an unknown field', ({ queued }) => `id=eq.${queued}&select=id,nope`),
  wrong('a field that the interface does not show', ({ queued }) => `id=eq.${queued}&select=id,pipeline_id`),
  wrong('all fields', ({ queued }) => `id=eq.${queued}&select=*`),
  wrong('no select', ({ queued }) => `id=eq.${queued}`),
  wrong('an empty select', ({ queued }) => `id=eq.${queued}&select=`),
  wrong('a select that ends in a comma', ({ queued }) => `id=eq.${queued}&select=id,`),
  wrong('a field under another name', ({ queued }) => `id=eq.${queued}&select=name:id`),
];
