import type { Arrival, ModelEffect } from './rules.ts';
import type { ModelRequest, World } from './types.ts';

/** One request while the model handles it. */
export interface Call {
  readonly world: World;
  readonly request: ModelRequest;
  readonly nowMs: number;
  readonly arrival: Arrival;
  readonly parameters: URLSearchParams;
  /** The effects of the rules that apply to this request. */
  readonly effects: readonly ModelEffect[];
}

type Named<Name extends ModelEffect['do']> = Extract<ModelEffect, { readonly do: Name }>;

/** Returns the first effect with this name, or undefined if no rule has such an effect. */
export function effect<Name extends ModelEffect['do']>(
  effects: readonly ModelEffect[],
  name: Name,
): Named<Name> | undefined {
  return effects.find((one): one is Named<Name> => one.do === name);
}

/** Returns the token in an `Authorization: Bearer` header, or null without such a header. */
export function bearer(request: ModelRequest): string | null {
  return /^Bearer +(\S+)$/i.exec(request.headers['authorization'] ?? '')?.[1] ?? null;
}
