import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { FailuresAtOnce } from './scripts/failures-at-once.mjs'
import { quickTests } from './scripts/test-lanes.mjs'

// A test imports the packages' sources. Programs that it starts are builds, which are brought up to date before it.
const fromSources = {
  resolve: { conditions: ['@farebox/source'] },
  ssr: { resolve: { conditions: ['@farebox/source'] } },
}

/** Ends a test that hangs. No test passes or fails by it. */
const HANGS_MS = 600_000

const always = {
  pool: 'forks',
  testTimeout: HANGS_MS,
  hookTimeout: HANGS_MS,
  teardownTimeout: HANGS_MS,
  // What is polled happens, or the test hangs.
  expect: { poll: { timeout: HANGS_MS } },
} as const

/** Starts programs: what they write is searched for secrets. These run after the first lane, side by side. */
const staged = {
  ...always,
  // One more than cores: many wait, for a block, a lease or a page. With six, what waits looks so often, and so many load
  // the same modules, that eight long files took 203 s and 397 s of CPU time; with three, 159 s and 308 s.
  maxWorkers: 3,
  isolate: false,
  sequence: { groupOrder: 1 },
  setupFiles: [
    './scripts/built-programs.test-setup.mjs',
    './packages/local/src/testing/scan-programs.test-setup.ts',
  ],
}

/** What takes longest: whole programs, installed as by a newcomer, killed or put under load; contracts that random calls try. */
const LONG = [
  'e2e/{call,clone,conformance,conformance-command,crashes,deliverable,newcomer,one-payment-one-job}.test.ts',
  'e2e/{facilitator-rules,owners,packages,pay-invoices,platform,platform-crashes,secrets,stopping}.test.ts',
  'packages/cli/src/check/wrong-agents.test.ts',
  'packages/cli/src/dev/{dev-restart,dev-trouble,paid/paid-path}.test.ts',
  'packages/cli/src/{flow/run/flow-kill,limits/limits-kill}.test.ts',
  'packages/cli/src/register/{afterwards,register-again}.test.ts',
  'packages/facilitator/src/recovery.test.ts',
  'packages/farebox/src/hiring/killed-hires.test.ts',
  'packages/farebox/src/isolation/misbehaving-handlers.test.ts',
  'packages/farebox/src/loop-watch/watch-loop.test.ts',
  'packages/farebox/src/spending/spend-storm.test.ts',
  'packages/farebox/src/workers/workers.test.ts',
  'packages/local/src/chain/*.invariants.test.ts',
  'packages/local/src/economy.test.ts',
  'packages/local/src/postgres/start-postgres.test.ts',
  'packages/local/src/testing/hiring-ring/ring.test.ts',
  'packages/platform/src/monitor/rounds.test.ts',
  'packages/platform/src/runs/killed-runs.test.ts',
]
/** The pages in a real browser, which keeps a core busy by itself. */
const WEB = ['e2e/web/*.test.ts']
/** The small forms of the batteries: `npm test -- fire`. */
const BATTERIES = ['fire/src/**/*.test.ts']

/** Need nothing but this process. */
const QUICK = quickTests()

/** Short files come last: they keep every worker busy to the end. */
class ShortFilesLast extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isShort = ({ project }: TestSpecification): boolean => project.name === 'staged'
    const sorted = await super.sort(files)
    return [...sorted.filter(file => !isShort(file)), ...sorted.filter(isShort)]
  }
}

export default defineConfig({
  test: {
    sequence: { sequencer: ShortFilesLast },
    reporters: ['default', new FailuresAtOnce()],
    globalSetup: [
      './scripts/build.test-setup.mjs',
      './packages/platform/src/test-setup/database/own-databases.global-setup.ts',
    ],
    // Projects of one group run side by side, groups one after another.
    projects: [
      {
        ...fromSources,
        test: {
          ...always,
          name: 'quick',
          include: QUICK,
          exclude: ['**/node_modules/**', ...LONG],
          setupFiles: ['./scripts/no-programs.test-setup.mjs'],
          // A worker keeps the modules that it has loaded: loading them again for each file is a third of all CPU time.
          isolate: false,
          // More than cores: some wait, for what an agent that is checked must not do.
          maxWorkers: 4,
          sequence: { groupOrder: 0 },
        },
      },
      {
        ...fromSources,
        test: {
          ...staged,
          name: 'staged',
          include: [
            'packages/*/src/**/*.test.ts',
            'apps/*/src/**/*.test.ts',
            'examples/**/*.test.ts',
            'e2e/**/*.test.ts',
            'bench/src/**/*.test.ts',
          ],
          exclude: ['**/node_modules/**', ...QUICK, ...LONG, ...WEB],
        },
      },
      {
        ...fromSources,
        test: { ...staged, name: 'long', include: LONG },
      },
      {
        ...fromSources,
        test: { ...staged, name: 'web', include: WEB },
      },
      {
        ...fromSources,
        test: { ...staged, name: 'fire', include: BATTERIES },
      },
    ],
  },
})
