let blame: ((error: unknown) => void) | undefined;

/** A rejection that nobody handled came up in this thread: it belongs to the scenario that is being simulated. */
export function reportRejection(error: unknown): boolean {
  blame?.(error);
  return blame !== undefined;
}

/** While a scenario goes on, has `onRejection` told of every rejection that nobody handles. */
export async function withRejections<T>(onRejection: (error: unknown) => void, scenario: () => Promise<T>): Promise<T> {
  blame = onRejection;
  try {
    return await scenario();
  } finally {
    blame = undefined;
  }
}
