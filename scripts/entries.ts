/** What is bundled: each `src/NAME.ts` becomes `dist/NAME/index.js`. The only place that lists them. */
export const entries: readonly string[] = ['main', 'post', 'cancel'];

/** What the entries share, bundled once: `src/start.ts`. */
export const SHARED = 'start';
