import tseslint from 'typescript-eslint';

// Only rules that need type information. Biome does the rest, including formatting.
export default tseslint.config(
  { ignores: ['dist/', 'build/', 'vendor/', '*.config.js'] },
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
    // Tests run whole processes in virtual time, so everything outside comes from the World.
    files: ['src/**/*.ts'],
    ignores: ['src/{main,post,cancel,early,real-world}.ts', 'src/service/http.ts'],
    rules: {
      'no-restricted-globals': [
        'error',
        ...['process', 'setTimeout', 'setInterval', 'setImmediate', 'performance', 'crypto', 'fetch', 'console'],
      ],
      'no-restricted-properties': [
        'error',
        { object: 'Math', property: 'random', message: 'Use the random numbers of the World.' },
        { object: 'Date', property: 'now', message: 'Use the clock of the World.' },
        { object: 'AbortSignal', property: 'timeout', message: 'Use the clock of the World.' },
      ],
    },
  },
  {
    files: ['test/**/*.ts'],
    rules: {
      // A fake keeps the asynchronous signature even if it awaits nothing.
      '@typescript-eslint/require-await': 'off',
      '@typescript-eslint/no-empty-function': 'off',
      // Vitest's asymmetric matchers, such as `expect.any(String)`, have the type any.
      '@typescript-eslint/no-unsafe-assignment': 'off',
    },
  },
);
