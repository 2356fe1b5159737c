import { uuidFrom } from './ids.ts';
import {
  FOREIGN_PIPELINE_ID,
  OTHER_KEY,
  OTHER_WORKSPACE_ID,
  PIPELINE_IDS,
  SANDBOX_KEY,
  WORKSPACE_ID,
} from './known.ts';
import type { ModelRule } from './rules.ts';
import { SCENARIOS } from './scenarios.ts';
import type { Pipeline, Scenario, World } from './types.ts';

/** The options of a pipeline. */
export interface PipelineOptions {
  readonly name: string;
  readonly id?: string;
  readonly apiName?: string | null;
  readonly workspaceId?: string;
  readonly active?: boolean;
  /** The default is the scenario named like the pipeline's API name or name, or else `orders`. */
  readonly scenario?: string;
  readonly rows?: number;
}

/** The options of a world. */
export interface WorldOptions
  extends Partial<
    Pick<
      World,
      | 'epochMs'
      | 'seed'
      | 'basePath'
      | 'backendUrl'
      | 'region'
      | 'anonKey'
      | 'ttlSeconds'
      | 'speed'
      | 'heartbeatMs'
      | 'minReadIntervalMs'
      | 'confirmReads'
      | 'exemptReads'
    >
  > {
  readonly credits?: number | 'unlimited';
  /** Scenarios to add to the defaults. A scenario with the name of a default replaces that default. */
  readonly scenarios?: Readonly<Record<string, Scenario>>;
  /** Pipelines to add to the defaults. */
  readonly pipelines?: readonly PipelineOptions[];
  readonly rules?: readonly ModelRule[];
}

const DEFAULTS = {
  epochMs: 0,
  seed: 1,
  basePath: '',
  backendUrl: 'https://api.eu-1.example.test',
  region: 'eu-1',
  anonKey: 'anon_sandbox_public',
  ttlSeconds: 3_600,
  speed: 1,
  heartbeatMs: 10_000,
  minReadIntervalMs: 30_000,
  confirmReads: 3,
  exemptReads: 1,
} as const satisfies WorldOptions;

/** Creates a world with two workspaces, a key for each, and a pipeline for each scenario in the first workspace. */
export function createWorld(options: WorldOptions = {}): World {
  const { credits = 'unlimited', scenarios = {}, pipelines = [], rules = [], ...settings } = options;
  const world: World = {
    ...DEFAULTS,
    ...settings,
    issued: 0,
    scenarios: { ...SCENARIOS, ...scenarios },
    workspaces: [
      { id: WORKSPACE_ID, name: 'Main', credits },
      { id: OTHER_WORKSPACE_ID, name: 'Other', credits: 'unlimited' },
    ],
    keys: [
      { value: SANDBOX_KEY, workspaceId: WORKSPACE_ID, revoked: false },
      { value: OTHER_KEY, workspaceId: OTHER_WORKSPACE_ID, revoked: false },
    ],
    tokens: [],
    pipelines: [],
    jobs: [],
    rules: [...rules],
    counts: {},
    violations: [],
  };
  for (const [apiName, id] of Object.entries(PIPELINE_IDS)) {
    addPipeline(world, { id, apiName, name: capital(apiName), active: apiName !== 'inactive' });
  }
  addPipeline(world, { id: FOREIGN_PIPELINE_ID, name: 'Foreign', workspaceId: OTHER_WORKSPACE_ID });
  for (const pipeline of pipelines) addPipeline(world, pipeline);
  return world;
}

/** Adds a pipeline at run time. Its API name defaults to its name in lower case with underscores. */
export function addPipeline(world: World, options: PipelineOptions): Pipeline {
  const { name } = options;
  const apiName = options.apiName === undefined ? name.toLowerCase().replace(/\W+/g, '_') : options.apiName;
  const called = [apiName, name.toLowerCase()].find((one) => one !== null && Object.hasOwn(world.scenarios, one));
  const pipeline: Pipeline = {
    id: options.id ?? newId(world),
    workspaceId: options.workspaceId ?? WORKSPACE_ID,
    name,
    apiName,
    active: options.active ?? true,
    scenario: options.scenario ?? called ?? 'orders',
    rows: options.rows ?? 1,
  };
  world.pipelines.push(pipeline);
  return pipeline;
}

/** Adds a key, as a key rotation does. */
export function addKey(world: World, value: string, workspaceId: string = WORKSPACE_ID): void {
  world.keys.push({ value, workspaceId, revoked: false });
}

/** Revokes a key and all tokens that were issued for it. Returns false if the key is unknown. */
export function revokeKey(world: World, value: string): boolean {
  const key = world.keys.find((one) => one.value === value);
  if (key === undefined) return false;
  key.revoked = true;
  return true;
}

/** Sets the expiry of all existing tokens to `nowMs`, unless they expire earlier. */
export function expireTokens(world: World, nowMs: number): void {
  for (const token of world.tokens) token.expiresAt = Math.min(token.expiresAt, nowMs);
}

export function newId(world: World): string {
  world.issued += 1;
  return uuidFrom(world.seed, world.issued);
}

function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}
