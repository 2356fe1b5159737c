/** Rules for plain data. Types are inferred from rules, so a scenario cannot have a member that no rule checks. */

/** Returns a valid value unchanged, and otherwise throws an error that names its location. */
export type Rule<T> = (place: string, value: unknown) => T;

/** The type of the values that satisfy a rule. */
export type Of<R> = R extends Rule<infer T> ? T : never;

export function rule<T>(expected: string, accepts: (value: unknown) => value is T): Rule<T> {
  return (place, value) => {
    if (accepts(value)) return value;
    throw new Error(`${place} is ${JSON.stringify(value)}. Write ${expected}.`);
  };
}

export const text = rule('a text', (value) => typeof value === 'string');
export const number = rule('a number', (value) => typeof value === 'number');
export const flag = rule('true or false', (value) => typeof value === 'boolean');

export function oneOf<T extends string>(...choices: readonly T[]): Rule<T> {
  return rule(`one of: ${choices.join(', ')}`, (value): value is T => choices.some((choice) => choice === value));
}

export function orNull<T>(inner: Rule<T>): Rule<T | null> {
  return (place, value) => (value === null ? null : inner(place, value));
}

export function list<T>(inner: Rule<T>): Rule<readonly T[]> {
  const whole = rule('a list', (value): value is unknown[] => Array.isArray(value));
  return (place, value) => whole(place, value).map((each, index) => inner(`${place}[${index}]`, each));
}

type Members = Readonly<Record<string, Rule<unknown>>>;
export type ObjectOf<M extends Members> = { readonly [Name in keyof M]: Of<M[Name]> };

/** An object with exactly these members. */
export function object<M extends Members>(members: M): Rule<ObjectOf<M>> {
  const some = someOf(members);
  const none = Object.fromEntries(Object.keys(members).map((name) => [name, undefined]));
  return (place, value) => some(place, { ...none, ...some(place, value) }) as ObjectOf<M>;
}

/** An object with some of these members, and no others. */
export function someOf<M extends Members>(members: M): Rule<Partial<ObjectOf<M>>> {
  const whole = rule('an object', (value): value is Partial<ObjectOf<M>> => String(value) === '[object Object]');
  const name = oneOf(...Object.keys(members));
  return (place, value) => {
    for (const [key, member] of Object.entries(whole(place, value))) {
      members[name(`a member of ${place}`, key)]?.(`${place}.${key}`, member);
    }
    return whole(place, value);
  };
}
