import tseslint from 'typescript-eslint';
import { texts } from './test/lint/rules.ts';

// Only rules that need type information. Biome does the rest, including formatting.
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
      // Messages may contain numbers, but not objects or undefined.
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      // Reports false positives where a variable changes during an `await` or in a callback, which is common here.
      '@typescript-eslint/no-unnecessary-condition': 'off',
      // The type already says that `() => resolve()` returns nothing.
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      // Biome reports these.
      '@typescript-eslint/no-unused-vars': 'off',
    },
  },
  {
    // Tests run whole steps in virtual time, so time and randomness must be injected.
    files: ['src/run/**/*.ts', 'src/service/**/*.ts'],
    rules: {
      'no-restricted-globals': [
        'error',
        ...['process', 'setTimeout', 'setInterval', 'setImmediate', 'performance', 'crypto', 'fetch', 'console'],
      ],
      'no-restricted-properties': [
        'error',
        { object: 'Math', property: 'random', message: 'Inject randomness.' },
        { object: 'Date', property: 'now', message: 'Inject the clock.' },
        { object: 'AbortSignal', property: 'timeout', message: 'Inject the clock.' },
      ],
    },
  },
  {
    files: ['test/**/*.ts'],
    rules: {
      // A fake keeps the asynchronous signature even if it awaits nothing.
      '@typescript-eslint/require-await': 'off',
      '@typescript-eslint/no-empty-function': 'off',
    },
  },
  {
    // Only the tables in test/matrix contain whole sentences, each in one line. Other files quote at most four words of
    // it, so that a change of a sentence changes one line.
    files: ['test/**/*.{ts,js,mjs}'],
    ignores: [
      // These files define the headings of the tables.
      'test/matrix/error-texts/**',
    ],
    rules: { 'texts/pinned-once': 'error' },
  },
  {
    files: ['test/**/*.ts'],
    ignores: ['test/matrix/*.test.ts'],
    rules: {
      'no-restricted-properties': [
        'error',
        ...['toMatchSnapshot', 'toMatchFileSnapshot'].map((property) => {
          return { property, message: 'Only the tables in test/matrix are files of texts.' };
        }),
      ],
    },
  },
  {
    files: ['src/**/*.ts'],
    // No step calls the functions of this file.
    ignores: ['src/no-extras.ts'],
    rules: { 'texts/shown-in-a-scene': 'error' },
  },
);
