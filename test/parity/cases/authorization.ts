import { PIPELINE_IDS, SANDBOX_KEY, WORKSPACE_ID } from '../../../sandbox/model/index.ts';
import { type Bearer, type Case, JSON_TYPE, SELECT } from '../case.ts';
import { ANON_KEY } from '../lite.ts';
import type { Asked } from '../send.ts';
import type { Jobs } from '../stage.ts';
import { claimsFor, webToken } from '../tokens.ts';

const read = ({ running }: Jobs): Asked => ({ method: 'GET', path: `/rest/v1/jobs?id=eq.${running}&${SELECT}` });
const list = (): Asked => ({
  method: 'GET',
  path: '/rest/v1/pipelines_and_datasources?pipeline_api_name=eq.orders&select=pipeline_name',
});
const trigger = (): Asked => ({
  method: 'POST',
  path: '/rest/v1/rpc/create_pipeline_run_job',
  headers: JSON_TYPE,
  body: JSON.stringify({ p_pipeline_id: PIPELINE_IDS.orders }),
});
const cancel = ({ running }: Jobs): Asked => ({
  method: 'PATCH',
  path: `/rest/v1/jobs?id=eq.${running}&job_status=in.(queued,picked,running)&${SELECT}`,
  headers: { ...JSON_TYPE, prefer: 'return=representation' },
  body: '{"job_status":"cancelled"}',
});
const CALLS = { read, list, trigger, cancel };

type Lack = Pick<Case, 'as' | 'apikey'>;

/** The same lack in each of the four calls. */
const each = (name: string, lack: Lack): readonly Case[] =>
  Object.entries(CALLS).map(([call, asks]) => ({ name: `${call}: ${name}`, asks, ...lack }));
const reading = (name: string, lack: Lack): Case => ({ name: `read: ${name}`, asks: read, ...lack });

const header = (text: string | null): Bearer => ({ header: text });
const claims = claimsFor(WORKSPACE_ID, 3_600);

export const authorizationCases: readonly Case[] = [
  ...each('without apikey', { apikey: null }),
  ...each('without Authorization', { as: header(null) }),
  ...each('with a token that has expired', { as: 'expired' }),
  ...each('with a token that somebody else signed', {
    as: header(`Bearer ${webToken(claims, 'a secret of somebody else')}`),
  }),
  ...each('with the token of a key that was revoked', { as: 'revoked' }),
  reading('without apikey and Authorization', { apikey: null, as: header(null) }),
  reading('with an unknown apikey', { apikey: 'sb_publishable_other' }),
  reading('with the API key for the apikey', { apikey: SANDBOX_KEY }),
  reading('with an empty apikey', { apikey: '' }),
  reading('with the API key for the token', { as: header(`Bearer ${SANDBOX_KEY}`) }),
  reading('with the apikey for the token', { as: header(`Bearer ${ANON_KEY}`) }),
  reading('with a token that is none', { as: header('Bearer nobody') }),
  reading('with an empty token', { as: header('Bearer ') }),
  reading('with a token that nobody signed', { as: header(`Bearer ${webToken(claims, null)}`) }),
  reading('with a token that was tampered with', { as: 'tampered' }),
  reading('with a name and a password', { as: header('Basic YTpi') }),
  reading('with the token of another workspace', { as: 'other workspace' }),
];
