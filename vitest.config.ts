import { defineConfig } from 'vitest/config'

// The packages' sources, not their builds: a test never runs against yesterday's output.
const fromSources = {
  resolve: { conditions: ['@farebox/source'] },
  ssr: { resolve: { conditions: ['@farebox/source'] } },
}

/** What counts milliseconds while it uses every core. */
const ALONE = [
  'fire/src/{fuzz,isolation,storms}/**/*.test.ts',
  'packages/farebox/src/isolation/**/*.test.ts',
]
/** What uses every core, and does not mind waiting. */
const HEAVY = ['fire/src/**/*.test.ts']

const always = {
  setupFiles: ['./fire/src/secrets/suite-setup.ts'],
  pool: 'forks',
  hookTimeout: 60_000,
} as const

export default defineConfig({
  test: {
    projects: [
      {
        ...fromSources,
        test: {
          ...always,
          name: 'packages',
          include: [
            'packages/*/src/**/*.test.ts',
            'apps/*/src/**/*.test.ts',
            'examples/**/*.test.ts',
            'e2e/**/*.test.ts',
          ],
          exclude: ['**/node_modules/**', ...HEAVY, ...ALONE],
          // Most of them wait, for a block, a lease or a page: four of them keep two cores busy.
          maxWorkers: 4,
          // Ends what hangs, and judges nothing: what has to be quick is asserted by its own test.
          testTimeout: 60_000,
          sequence: { groupOrder: 0 },
        },
      },
      {
        ...fromSources,
        test: {
          ...always,
          name: 'heavy',
          include: HEAVY,
          exclude: ['**/node_modules/**', ...ALONE],
          maxWorkers: 2,
          testTimeout: 120_000,
          sequence: { groupOrder: 1 },
        },
      },
      {
        ...fromSources,
        test: {
          ...always,
          name: 'alone',
          include: ALONE,
          maxWorkers: 1,
          testTimeout: 60_000,
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
})
