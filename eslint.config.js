import tseslint from 'typescript-eslint';
import { texts } from './test/lint/rules.ts';

// Only what needs types: the rest is biome's, and so is every question of format.
export default tseslint.config(
  { ignores: ['dist/', 'build/', 'vendor/', '*.config.js'] },
  { plugins: { texts } },
  {
    files: ['**/*.ts'],
    extends: [tseslint.configs.strictTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    rules: {
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: true, requireDefaultForNonUnion: true },
      ],
      '@typescript-eslint/strict-boolean-expressions': [
        'error',
        { allowString: false, allowNumber: false, allowNullableBoolean: true },
      ],
      '@typescript-eslint/consistent-type-exports': 'error',
      '@typescript-eslint/prefer-readonly': 'error',
      '@typescript-eslint/promise-function-async': 'off',
      // A number in a message is fine; an object or an undefined is not.
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      // Wrong where a variable changes during an `await` or in a callback, which is most of what happens here.
      '@typescript-eslint/no-unnecessary-condition': 'off',
      // `() => resolve()` as `() => void` is said by its type.
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      // Biome says these without types.
      '@typescript-eslint/no-unused-vars': 'off',
    },
  },
  {
    // A whole life of a run is tested in virtual time: what differs from one moment to the next is handed in.
    files: ['src/run/**/*.ts', 'src/service/**/*.ts'],
    rules: {
      'no-restricted-globals': [
        'error',
        ...['process', 'setTimeout', 'setInterval', 'setImmediate', 'performance', 'crypto', 'fetch', 'console'],
      ],
      'no-restricted-properties': [
        'error',
        { object: 'Math', property: 'random', message: 'Randomness is handed in.' },
        { object: 'Date', property: 'now', message: 'Time is handed in.' },
        { object: 'AbortSignal', property: 'timeout', message: 'Time is handed in.' },
      ],
    },
  },
  {
    files: ['test/**/*.ts'],
    rules: {
      // A fake of an asynchronous part has the asynchronous signature without waiting for anything.
      '@typescript-eslint/require-await': 'off',
      '@typescript-eslint/no-empty-function': 'off',
    },
  },
  {
    // A text changes in one place: the tables of test/matrix pin it, the other tests quote at most four words of it.
    files: ['test/**/*.ts'],
    ignores: [
      // The headings of a table are part of it.
      'test/matrix/error-texts/**',
      // These still copy texts. List the copies: npx eslint --rule '{"texts/pinned-once":"error"}' FOLDER
      'test/parity/**',
      'test/simulation/**',
      'test/support/**',
      'test/unit/action/**',
      'test/unit/base/**',
    ],
    rules: { 'texts/pinned-once': 'error' },
  },
  {
    // Other tests show the texts of processes (test/e2e) and of charts (test/browser).
    files: ['src/{action,base,run,service}/**/*.ts'],
    ignores: ['src/action/runner/**', 'src/action/report/summary/timeline.ts'],
    rules: { 'texts/shown-in-a-scene': 'error' },
  },
);
