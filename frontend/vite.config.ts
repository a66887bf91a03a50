import { defineConfig } from 'vitest/config';

export default defineConfig({
  build: {
    target: 'es2022',
    outDir: '../tfperf_plugin/static',
    emptyOutDir: true,
    sourcemap: false,
    // One module: the host imports exactly this file and calls its render(). Built as an application, because
    // libraries keep their white space.
    modulePreload: false,
    rollupOptions: {
      input: 'src/index.ts',
      preserveEntrySignatures: 'strict',
      output: { format: 'es', entryFileNames: 'index.js' },
    },
  },
  test: {
    environment: 'happy-dom',
    include: ['test/**/*.test.ts'],
    testTimeout: 60_000,
    // happy-dom upgrades the elements of a template before Polymer has taken the bindings out of their
    // attributes; browsers do not, and the property is bound a moment later.
    onConsoleLog: (log) => !log.includes("couldn't decode Array as JSON: [["),
  },
});
