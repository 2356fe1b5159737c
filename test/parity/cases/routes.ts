import { type Case, JSON_TYPE } from '../case.ts';
import type { Asked } from '../send.ts';
import type { Jobs } from '../stage.ts';

const wrong = (name: string, asks: (jobs: Jobs) => Asked): Case => ({ name: `elsewhere: ${name}`, asks });

export const routeCases: readonly Case[] = [
  wrong('an unknown table', () => ({ method: 'GET', path: '/rest/v1/runs?select=id' })),
  wrong('a change of an unknown table', () => ({
    method: 'PATCH',
    path: '/rest/v1/runs?id=eq.1',
    headers: JSON_TYPE,
    body: '{"a":1}',
  })),
  wrong('an unknown function', () => ({
    method: 'POST',
    path: '/rest/v1/rpc/create_job',
    headers: JSON_TYPE,
    body: '{}',
  })),
  wrong('a job deleted', ({ running }) => ({ method: 'DELETE', path: `/rest/v1/jobs?id=eq.${running}` })),
  wrong('a job made by hand', () => ({
    method: 'POST',
    path: '/rest/v1/jobs',
    headers: JSON_TYPE,
    body: '{"job_status":"queued"}',
  })),
  wrong('a pipeline renamed', () => ({
    method: 'PATCH',
    path: '/rest/v1/pipelines_and_datasources?pipeline_api_name=eq.orders',
    headers: JSON_TYPE,
    body: '{"pipeline_name":"x"}',
  })),
];
