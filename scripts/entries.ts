/** What action.yml and cancel/action.yml name. Each `src/NAME.ts` becomes `dist/NAME.js`, which imports the bundle on demand. */
export const entries: readonly string[] = ['main', 'post', 'cancel'];

/** What the entries import at once. Like them, it is not bundled. */
export const early: readonly string[] = ['early'];
