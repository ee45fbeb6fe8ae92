import { defineConfig } from 'vitest/config'

// The packages' sources, not their builds: a test never runs against yesterday's output.
const fromSources = {
  resolve: { conditions: ['@farebox/source'] },
  ssr: { resolve: { conditions: ['@farebox/source'] } },
}

/** Runs processes that use every core, and counts their milliseconds. */
const ISOLATION = ['packages/farebox/src/isolation/**/*.test.ts']
/** Of those, the one that holds up all others longest: it is run with the long ones. */
const ISOLATION_LONG = ['packages/farebox/src/isolation/misbehaving-handlers.test.ts']
/** What takes longest: packages that are installed as by a newcomer, programs that are killed or put under load. */
const LONG = [
  'e2e/{clone,conformance,conformance-command,crashes,deliverable,init,newcomer}.test.ts',
  'e2e/{packages,platform-crashes,stopping}.test.ts',
  'packages/cli/src/check/wrong-agents.test.ts',
  'packages/cli/src/dev/{dev-restart,dev-trouble}.test.ts',
  'packages/cli/src/register/{afterwards,register-again}.test.ts',
  'packages/farebox/src/spending/spend-storm.test.ts',
  'packages/farebox/src/workers/workers.test.ts',
  'packages/local/src/postgres/start-postgres.test.ts',
  'packages/local/src/testing/hiring-ring/ring.test.ts',
  'packages/platform/src/monitor/rounds.test.ts',
  'packages/platform/src/runs/killed-runs.test.ts',
]
/** The pages in a real browser, which keeps a core busy by itself. */
const WEB = ['e2e/web/*.test.ts']
/** The small forms of the batteries: `npm test -- fire`. */
const BATTERIES = ['fire/src/**/*.test.ts']
/** Those of them that count milliseconds. */
const BATTERIES_ALONE = ['fire/src/{fuzz,isolation,storms}/**/*.test.ts']

const always = {
  setupFiles: ['./fire/src/secrets/suite-setup.ts'],
  pool: 'forks',
  hookTimeout: 60_000,
  // What is polled happens, or the test hangs: no time is too long.
  expect: { poll: { timeout: 600_000 } },
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
            'bench/src/**/*.test.ts',
          ],
          exclude: ['**/node_modules/**', ...ISOLATION, ...LONG, ...WEB],
          // Most of them wait, for a block, a lease or a page. With six on two cores some waited for longer than they may.
          maxWorkers: 4,
          // A worker keeps the modules that it has loaded: loading them anew for each file is a third of all CPU time.
          isolate: false,
          // Ends what hangs, and judges nothing: what has to be quick is asserted by its own test.
          testTimeout: 60_000,
          sequence: { groupOrder: 0 },
        },
      },
      {
        ...fromSources,
        test: {
          ...always,
          name: 'isolation',
          include: ISOLATION,
          exclude: ['**/node_modules/**', ...ISOLATION_LONG],
          maxWorkers: 1,
          testTimeout: 60_000,
          sequence: { groupOrder: 1 },
        },
      },
      {
        ...fromSources,
        test: {
          ...always,
          name: 'long',
          include: LONG,
          maxWorkers: 4,
          testTimeout: 60_000,
          // Packing the packages takes a minute beside three others.
          hookTimeout: 180_000,
          sequence: { groupOrder: 2 },
        },
      },
      {
        ...fromSources,
        test: {
          ...always,
          name: 'web',
          include: WEB,
          maxWorkers: 2,
          testTimeout: 60_000,
          hookTimeout: 120_000,
          sequence: { groupOrder: 3 },
        },
      },
      {
        ...fromSources,
        test: {
          ...always,
          name: 'isolation-long',
          include: ISOLATION_LONG,
          maxWorkers: 1,
          testTimeout: 60_000,
          sequence: { groupOrder: 4 },
        },
      },
      {
        ...fromSources,
        test: {
          ...always,
          name: 'batteries',
          include: BATTERIES,
          exclude: ['**/node_modules/**', ...BATTERIES_ALONE],
          maxWorkers: 2,
          testTimeout: 120_000,
          sequence: { groupOrder: 5 },
        },
      },
      {
        ...fromSources,
        test: {
          ...always,
          name: 'batteries-alone',
          include: BATTERIES_ALONE,
          maxWorkers: 1,
          testTimeout: 60_000,
          sequence: { groupOrder: 6 },
        },
      },
    ],
  },
})
