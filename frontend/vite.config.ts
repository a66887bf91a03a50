import { defineConfig } from 'vitest/config';

export default defineConfig({
  build: {
    target: 'es2022',
    outDir: '../tfperf_plugin/static',
    emptyOutDir: true,
    sourcemap: false,
    // One module: the host imports exactly this file and calls its render().
    lib: { entry: 'src/index.ts', formats: ['es'], fileName: () => 'index.js' },
  },
  test: {
    environment: 'happy-dom',
    include: ['test/**/*.test.ts'],
    testTimeout: 60_000,
    // Two lines that say nothing of ours: happy-dom loads no frames, and it upgrades elements of a
    // template before Polymer has taken the bindings out of their attributes.
    onConsoleLog: (log) => !/Iframe page loading is disabled|couldn't decode Array as JSON: \[\[/.test(log),
  },
});
