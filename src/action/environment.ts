/** The environment of a process, as text by name. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** An input as the runner hands it over: `INPUT_<NAME>`, trimmed; empty when it was not set. */
export function inputOf(env: Environment, name: string): string {
  return env[`INPUT_${name.replaceAll(' ', '_').toUpperCase()}`]?.trim() ?? '';
}
