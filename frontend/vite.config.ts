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
  test: { environment: 'happy-dom', include: ['test/**/*.test.ts'] },
});
