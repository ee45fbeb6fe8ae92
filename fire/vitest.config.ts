import { defineConfig } from 'vitest/config'

export default defineConfig({
  // As at the root: the packages' sources, not their builds.
  resolve: { conditions: ['@farebox/source'] },
  ssr: { resolve: { conditions: ['@farebox/source'] } },
  test: {
    include: ['fire/src/**/*.test.ts'],
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
})
