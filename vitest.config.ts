import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { FailuresAtOnce } from './scripts/failures-at-once.mjs'
import { LONG_TESTS, quickTests } from './scripts/test-lanes.mjs'

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
  // Four more than cores: many wait, for a block, a lease or a page. With four, a quarter of the processor time was idle and
  // all 226 files took 980 s; with six, they took no more processor time (1,490 s), and none was idle.
  maxWorkers: 6,
  isolate: false,
  sequence: { groupOrder: 1 },
  setupFiles: [
    './scripts/built-programs.test-setup.mjs',
    './packages/local/src/testing/scan-programs.test-setup.ts',
  ],
}

/** Need nothing but this process. */
const QUICK = quickTests()

/** The lanes that start programs, by name. */
const LANES: { readonly [name: string]: readonly string[] } = {
  staged: [
    'packages/*/src/**/*.test.ts',
    'apps/*/src/**/*.test.ts',
    'examples/**/*.test.ts',
    'e2e/**/*.test.ts',
    'bench/src/**/*.test.ts',
  ],
  long: LONG_TESTS,
  /** The pages in a real browser, which keeps a core busy by itself. */
  web: ['e2e/web/*.test.ts'],
  /** The small forms of the batteries. */
  fire: ['fire/src/**/*.test.ts'],
}

/**
 * Lanes that are run together are one project: each project has workers of its own, which would load the same modules. By
 * default each is one.
 */
const together = process.env['FAREBOX_TEST_LANES']?.split(',')

function projectOf(name: string, lanes: readonly string[]) {
  const others = Object.keys(LANES).filter(lane => lane !== 'staged' && !lanes.includes(lane))
  return {
    ...fromSources,
    test: {
      ...staged,
      name,
      include: lanes.flatMap(lane => LANES[lane] ?? []),
      exclude: ['**/node_modules/**', ...QUICK, ...others.flatMap(lane => LANES[lane] ?? [])],
    },
  }
}

/** Short files come last: they keep every worker busy to the end. */
class ShortFilesLast extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isLong = ({ moduleId }: TestSpecification): boolean =>
      LONG_TESTS.some(path => moduleId.endsWith(`/${path}`)) || /\/(?:fire\/src|e2e\/web)\//.test(moduleId)
    const sorted = await super.sort(files)
    return [...sorted.filter(isLong), ...sorted.filter(file => !isLong(file))]
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
          exclude: ['**/node_modules/**'],
          setupFiles: ['./scripts/no-programs.test-setup.mjs'],
          // A worker keeps the modules that it has loaded: loading them again for each file is a third of all CPU time.
          isolate: false,
          // More than cores: some wait, for what an agent that is checked must not do.
          maxWorkers: 4,
          sequence: { groupOrder: 0 },
        },
      },
      ...(together === undefined
        ? Object.keys(LANES).map(name => projectOf(name, [name]))
        : [projectOf('staged', together)]),
    ],
  },
})
