import {
  expireTokens,
  OTHER_KEY,
  OTHER_WORKSPACE_ID,
  revokeKey,
  SANDBOX_KEY,
  stateAt,
  WORKSPACE_ID,
  type World,
} from '../../sandbox/model/index.ts';
import { startSandbox } from '../../sandbox/server/index.ts';
import type { Bearer } from './case.ts';
import { ANON_KEY, type Lite } from './lite.ts';
import { send } from './send.ts';
import { NOW } from './stage.ts';
import { tampered } from './tokens.ts';

/** A job as it lies in the service, whatever its answers say. */
export interface StoredJob {
  readonly id: string;
  readonly pipelineId: string;
  readonly status: string;
  readonly fullResync: boolean;
  readonly resetTarget: boolean;
}

/** One of the two services under comparison. */
export interface Side {
  readonly url: string;
  readonly authorization: (as: Bearer) => Promise<string | null>;
  readonly jobs: () => Promise<readonly StoredJob[]>;
  /** Of the first workspace; null when there is no limit. */
  readonly credits: () => Promise<number | null>;
  readonly close: () => Promise<void>;
}

export async function sandboxSide(world: World): Promise<Side> {
  const sandbox = await startSandbox({ world, now: () => NOW });
  return {
    url: sandbox.url,
    authorization: async (as) => {
      if (typeof as === 'object') return as.header;
      const token = await exchanged(sandbox.url, as === 'other workspace' ? OTHER_KEY : SANDBOX_KEY);
      if (as === 'expired') expireTokens(world, NOW);
      if (as === 'revoked') revokeKey(world, SANDBOX_KEY);
      return `Bearer ${as === 'tampered' ? `${token}0` : token}`;
    },
    jobs: async () =>
      world.jobs.map((job) => ({
        id: job.id,
        pipelineId: job.pipelineId,
        status: stateAt(job, NOW)?.status ?? '',
        fullResync: job.parameters.p_full_resync,
        resetTarget: job.parameters.p_reset_target,
      })),
    credits: async () => {
      const credits = world.workspaces[0]?.credits ?? 'unlimited';
      return credits === 'unlimited' ? null : credits;
    },
    close: sandbox.close,
  };
}

export function liteSide(lite: Lite): Side {
  return {
    url: lite.url,
    authorization: async (as) => {
      if (typeof as === 'object') return as.header;
      if (as === 'expired') return `Bearer ${lite.token(WORKSPACE_ID, -3_600)}`;
      const token = await exchanged(lite.url, as === 'other workspace' ? OTHER_KEY : SANDBOX_KEY);
      if (as === 'revoked') {
        await lite.sql('update private.api_keys set revoked = true where value = $1', SANDBOX_KEY);
      }
      return `Bearer ${as === 'tampered' ? tampered(token, lite.token(OTHER_WORKSPACE_ID)) : token}`;
    },
    jobs: async () => {
      const rows = await lite.sql('select * from public.jobs order by created_at');
      return rows.map((row) => ({
        id: String(row['id']),
        pipelineId: String(row['pipeline_id']),
        status: String(row['job_status']),
        fullResync: row['full_resync'] === true,
        resetTarget: row['reset_target'] === true,
      }));
    },
    credits: async () => {
      const [row] = await lite.sql('select credits from public.workspaces where id = $1', WORKSPACE_ID);
      return row?.['credits'] === null ? null : Number(row?.['credits']);
    },
    close: async () => {},
  };
}

/** A token for a key, from the service's own exchange. */
async function exchanged(url: string, key: string): Promise<string> {
  const headers = { authorization: `Bearer ${key}` };
  const { text } = await send(url, { method: 'POST', path: '/api/cli/bootstrap', headers });
  const answer = JSON.parse(text) as { token: string; backend_anon_key: string };
  if (answer.backend_anon_key !== ANON_KEY) throw new Error('the two services have different anon keys');
  return answer.token;
}
