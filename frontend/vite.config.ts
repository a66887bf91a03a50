import { defineConfig } from 'vitest/config';

export default defineConfig(({ mode }) => ({
  base: './',
  build: {
    target: 'es2022',
    outDir: '../tfperf_plugin/tensorboard/static',
    emptyOutDir: true,
    sourcemap: false,
    // The host imports index.js and calls its render(); what is imported there on demand becomes a file beside it.
    // The names carry no hashes, so that a change of one module changes one file. Built as an application, because
    // libraries keep their white space.
    modulePreload: false,
    rollupOptions: {
      // --mode fakes builds the dev page, for the tests in a browser.
      input: mode === 'fakes' ? 'index.html' : 'src/index.ts',
      preserveEntrySignatures: 'allow-extension',
      output: { format: 'es', entryFileNames: 'index.js', chunkFileNames: '[name].js' },
    },
  },
  test: {
    environment: 'happy-dom',
    include: ['test/**/*.test.ts'],
    testTimeout: 60_000,
    onConsoleLog: (log) => !log.includes('Lit is in dev mode'),
  },
}));
