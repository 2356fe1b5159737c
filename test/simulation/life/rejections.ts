let blame: ((error: unknown) => void) | undefined;

/** A rejection that nobody handled came up in this thread: it belongs to the life that is being lived. */
export function reportRejection(error: unknown): boolean {
  blame?.(error);
  return blame !== undefined;
}

/** While a life goes on, has `onRejection` told of every rejection that nobody handles. */
export async function withRejections<T>(
  onRejection: (error: unknown) => void,
  life: () => Promise<T>,
): Promise<T> {
  blame = onRejection;
  try {
    return await life();
  } finally {
    blame = undefined;
  }
}
