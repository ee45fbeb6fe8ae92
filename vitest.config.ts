import { defineConfig } from 'vitest/config'

export default defineConfig({
  // The packages' sources, not their builds: a test never runs against yesterday's output.
  resolve: { conditions: ['@farebox/source'] },
  ssr: { resolve: { conditions: ['@farebox/source'] } },
  test: {
    include: [
      'packages/*/src/**/*.test.ts',
      'apps/*/src/**/*.test.ts',
      'examples/**/*.test.ts',
      'e2e/**/*.test.ts',
    ],
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 20_000,
    hookTimeout: 60_000,
  },
})
