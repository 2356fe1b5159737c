/** The service as plain data, which `structuredClone` can copy. */
import { createHash } from 'node:crypto';
import type { CallKind } from '../faults.ts';
import { type Cap, USUAL_CAP } from './postgrest.ts';
import { SCENARIOS, type Scenario, type Stage } from './scenarios.ts';

export interface Workspace {
  readonly id: string;
  readonly name: string;
  /** The number of runs that the workspace can still pay for. */
  credits: number | 'unlimited';
}

export interface ApiKey {
  readonly value: string;
  readonly workspaceId: string;
  revoked: boolean;
}

export interface Token {
  readonly value: string;
  /** The key that a client exchanged for the token. After the key is revoked, the service rejects the token too. */
  readonly key: ApiKey;
  /** The time from which the service rejects the token, in ms on the same clock as `nowMs`. */
  expiresAt: number;
}

export interface Pipeline {
  readonly id: string;
  readonly workspaceId: string;
  readonly name: string;
  readonly apiName: string | null;
  readonly active: boolean;
  /** A key of `World.scenarios`. */
  readonly scenario: string;
  /** The number of the pipeline's rows in the collection, which has a row for each data source of a pipeline. */
  readonly rows: number;
}

export interface RunParameters {
  readonly p_pipeline_id: string;
  readonly p_job_type: string;
  readonly p_full_resync: boolean;
  readonly p_reset_target: boolean;
}

/** A run, which the API calls a job. */
export interface Job {
  readonly id: string;
  readonly workspaceId: string;
  readonly pipelineId: string;
  readonly createdAt: number;
  readonly parameters: RunParameters;
  /** The stages, with times already divided by the world's speed. */
  readonly timeline: readonly Stage[];
  cancelledAt: number | null;
  /** The times of all authenticated reads of the run. */
  readonly reads: number[];
  /** The time of the read at which the current minimum interval began. */
  pacedReadAt: number | null;
  /** The number of further reads of each kind that are allowed before the minimum interval has passed. */
  confirmReadsLeft: number;
  exemptReadsLeft: number;
}

export type ViolationKind =
  | 'read_too_soon'
  | 'read_without_id'
  | 'cancel_without_id'
  | 'cancel_without_precondition'
  | 'missing_apikey'
  | 'wrong_apikey'
  | 'missing_bearer'
  | 'unknown_token'
  | 'legacy_key'
  | 'exchange_with_body'
  | 'no_media_type'
  | 'bad_request'
  | 'unknown_route'
  | 'wrong_method';

/** Something that no correct client does. */
export interface Violation {
  readonly kind: ViolationKind;
  readonly at: number;
  readonly detail: string;
}

export interface World {
  /** The difference in ms between the wall time in `expires_at` and the clock. */
  readonly epochMs: number;
  /** The ids and tokens depend only on the seed and on how many were issued before. */
  readonly seed: number;
  issued: number;
  /** The path prefix of the token exchange: '' or '/prefix'. */
  readonly basePath: string;
  backendUrl: string;
  readonly anonKey: string;
  /** The lifetime of new tokens in seconds. */
  readonly ttlSeconds: number;
  /** The factor by which all timelines are shortened. */
  readonly speed: number;
  /** The shortest allowed time between two reads of a run, in ms. It does not depend on the speed. */
  readonly minReadIntervalMs: number;
  /** The number of reads of a run that are allowed earlier, in addition to those that confirm a cancellation. */
  readonly exemptReads: number;
  readonly cap: Cap;
  readonly scenarios: Record<string, Scenario>;
  readonly workspaces: Workspace[];
  readonly keys: ApiKey[];
  readonly tokens: Token[];
  readonly pipelines: Pipeline[];
  /** Every run ever queued, in the order of the accepted triggers. */
  readonly jobs: Job[];
  /** The number of requests of each kind so far. */
  readonly counts: Partial<Record<CallKind, number>>;
  readonly violations: Violation[];
}

/** A key of the first workspace. */
export const SANDBOX_KEY = 'ak_sandbox_example_key';
/** A key of the second workspace, which has no access to the first. */
export const OTHER_KEY = 'ak_sandbox_other_workspace';

export const WORKSPACE_ID = 'a2590e46-65f5-48f9-b95f-b991d7bd4361';
export const OTHER_WORKSPACE_ID = 'b1a9a4a3-ac10-438a-a11b-2b6a009d56e4';

/** The pipelines of the first workspace by API name. Each pipeline's name is its API name, capitalized. */
export const PIPELINE_IDS = {
  orders: '9a50bc2a-cb77-4ec3-b55d-44d6b0a89a07',
  customers: '9a61ba40-14a5-4ddd-8480-14cb8f05604f',
  broken: '0bc674a2-f060-47f0-a148-8a8b395595e2',
  idle: 'ecdb4b22-73a1-4642-8fbf-4d3900ccf69e',
  overrun: 'b4ade22b-cfce-4ba7-b162-0d7cd25d7705',
  slow: '2007da70-ac84-4186-89d8-9c0b4346ccc1',
  endless: '0547925d-c969-4542-af57-8f07c0001b09',
  unpicked: '1e6044f6-c6bd-4bd9-9dab-24e647e1f4bc',
  penniless: '31cccbec-e2ae-40c4-a0d1-bb53eb090bd2',
  flaky: '0c3c2a0e-5c41-4f0b-a2d4-6d2f8a1b7c55',
  flakier: '5f0a4c1d-92c7-4d3e-8b61-3b7d0e9f2a18',
  inactive: '31243422-10a0-40cb-a7d7-bacd4b0ce0ce',
} as const;

/** The only pipeline of the second workspace. */
export const FOREIGN_PIPELINE_ID = '74df2e10-97bb-4320-a7f4-6c66b34ea5aa';

/** At this speed, a run of `orders` takes six seconds, and every run that ends takes at most forty. */
export const DEMO_SPEED = 15;

export interface PipelineOptions {
  readonly name: string;
  readonly id?: string;
  /** The default is the name in lower case with underscores. */
  readonly apiName?: string | null;
  readonly workspaceId?: string;
  readonly active?: boolean;
  /** The default is the scenario with the pipeline's API name, or else `orders`. */
  readonly scenario?: string;
  readonly rows?: number;
}

const DEFAULTS = {
  epochMs: 0,
  seed: 1,
  basePath: '',
  backendUrl: 'https://api.eu-1.example.test',
  anonKey: 'anon_sandbox_public',
  ttlSeconds: 3_600,
  speed: 1,
  minReadIntervalMs: 30_000,
  exemptReads: 1,
  cap: USUAL_CAP,
} as const satisfies Partial<World>;

export interface WorldOptions extends Partial<Pick<World, keyof typeof DEFAULTS>> {
  readonly credits?: Workspace['credits'];
  /** Scenarios to add to the defaults. A scenario with the name of a default replaces that default. */
  readonly scenarios?: Readonly<Record<string, Scenario>>;
  /** Pipelines to add to the defaults. */
  readonly pipelines?: readonly PipelineOptions[];
}

/** Creates a world with two workspaces, a key for each, and a pipeline for each scenario in the first workspace. */
export function createWorld(options: WorldOptions = {}): World {
  const { credits = 'unlimited', scenarios = {}, pipelines = [], ...settings } = options;
  const world: World = {
    ...DEFAULTS,
    ...settings,
    issued: 0,
    scenarios: { ...SCENARIOS, ...scenarios },
    workspaces: [
      { id: WORKSPACE_ID, name: 'Main', credits },
      { id: OTHER_WORKSPACE_ID, name: 'Other', credits: 'unlimited' },
    ],
    keys: [],
    tokens: [],
    pipelines: [],
    jobs: [],
    counts: {},
    violations: [],
  };
  addKey(world, SANDBOX_KEY);
  addKey(world, OTHER_KEY, OTHER_WORKSPACE_ID);
  for (const [apiName, id] of Object.entries(PIPELINE_IDS)) {
    const name = apiName.charAt(0).toUpperCase() + apiName.slice(1);
    addPipeline(world, { id, apiName, name, active: apiName !== 'inactive' });
  }
  addPipeline(world, { id: FOREIGN_PIPELINE_ID, name: 'Foreign', workspaceId: OTHER_WORKSPACE_ID });
  for (const pipeline of pipelines) addPipeline(world, pipeline);
  return world;
}

export function addPipeline(world: World, options: PipelineOptions): Pipeline {
  const usualName = options.name.toLowerCase().replace(/\W+/g, '_');
  const { id = newId(world), apiName = usualName } = options;
  const called = apiName ?? usualName;
  const pipeline: Pipeline = {
    workspaceId: WORKSPACE_ID,
    active: true,
    scenario: Object.hasOwn(world.scenarios, called) ? called : 'orders',
    rows: 1,
    ...options,
    id,
    apiName,
  };
  world.pipelines.push(pipeline);
  return pipeline;
}

/** Adds a key, as a key rotation does. */
export function addKey(world: World, value: string, workspaceId: string = WORKSPACE_ID): void {
  world.keys.push({ value, workspaceId, revoked: false });
}

/** Revokes a key, and with it all tokens that were issued for it. */
export function revokeKey(world: World, value: string): void {
  for (const key of world.keys) if (key.value === value) key.revoked = true;
}

/** Sets the expiry of all existing tokens to `nowMs`, unless they expire earlier. */
export function expireTokens(world: World, nowMs: number): void {
  for (const token of world.tokens) token.expiresAt = Math.min(token.expiresAt, nowMs);
}

export function violate(world: World, kind: ViolationKind, at: number, detail: string): void {
  world.violations.push({ kind, at, detail });
}

/** Returns hexadecimal digits that no other call for this world returns. */
export function newDigits(world: World): string {
  world.issued += 1;
  return createHash('sha256').update(`${world.seed} ${world.issued}`).digest('hex');
}

/** Returns a UUID with the version and variant of a random one. */
export function newId(world: World): string {
  return newDigits(world).replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, '$1-$2-4$3-a$4-$5');
}
