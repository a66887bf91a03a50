import js from '@eslint/js';
import { defineConfig, globalIgnores } from 'eslint/config';
import tseslint from 'typescript-eslint';

export default defineConfig(
  globalIgnores(['src/model.ts']),
  js.configs.recommended,
  {
    files: ['**/*.ts'],
    extends: [tseslint.configs.strictTypeChecked],
    languageOptions: { parserOptions: { projectService: true } },
    rules: {
      // lit-html calls the handlers of a template on the element that draws it (base.ts).
      '@typescript-eslint/unbound-method': 'off',
      // Who asks says of which type the answer is.
      '@typescript-eslint/no-unnecessary-type-parameters': 'off',
      // Prettier may break a line before [.
      'no-unexpected-multiline': 'off',
      // Elements are found by id or name, of which the page says no more than that it is an element.
      '@typescript-eslint/no-unsafe-class-instance-assignment': 'off',
      'max-len': ['error', 120],
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', ignoreRestSiblings: true }],
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
    },
  },
  {
    // What stands in recorded reports is known, and fakes are asynchronous because the backend is.
    files: ['src/fakes.ts', 'src/patches.ts', 'src/recorded.ts', 'src/dev.ts', 'test/**'],
    rules: {
      '@typescript-eslint/no-non-null-assertion': 'off',
      '@typescript-eslint/require-await': 'off',
    },
  },
  { files: ['*.js'], languageOptions: { globals: { process: 'readonly', URL: 'readonly' } } },
);
