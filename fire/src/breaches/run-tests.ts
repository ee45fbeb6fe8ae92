import { spawn } from 'node:child_process'
import { readFile, rm } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import type { JsonTestResults } from 'vitest/node'
import { CONFIG_FILE } from './copy-sources.ts'

/** A failed test. */
export interface RedTest {
  /** The path from the root of the repository. */
  readonly file: string
  readonly name: string
  readonly message: string
  /** Whether an expectation failed; otherwise the test timed out, or its environment broke. */
  readonly isAssertion: boolean
}

/** The result of test files. */
export interface TestsOutcome {
  readonly passed: number
  readonly red: readonly RedTest[]
  /** Files that could not be loaded, each with the reason. */
  readonly unloaded: readonly string[]
}

/** The time limit of a run, which ends one that hangs. */
const MAX_RUN_MS = 300_000
/** The time limit of the run without a breach, which has all files; nothing is expected to hang in it. */
const MAX_WHOLE_RUN_MS = 6 * MAX_RUN_MS
/** A test that a breach makes hang fails soon, so that the other tests of the file run. */
const TEST_TIMEOUT_MS = 90_000
/** The number of failed tests after which a file is stopped. */
const ENOUGH_RED = 8

const VITEST = fileURLToPath(new URL('../../../node_modules/vitest/vitest.mjs', import.meta.url))

/** Runs test files of the sources in a folder, with the configuration at its root, in their own process. */
export async function runTests(
  folder: string,
  tests: {
    readonly files: readonly string[]
    readonly only?: string | undefined
    readonly toTheEnd?: boolean
  },
  signal: AbortSignal,
): Promise<TestsOutcome> {
  const outputFile = join(folder, 'outcome.json')
  await rm(outputFile, { force: true })
  const words = [
    'run',
    '--root',
    folder,
    `--config=${join(folder, CONFIG_FILE)}`,
    '--reporter=json',
    `--outputFile=${outputFile}`,
    `--testTimeout=${TEST_TIMEOUT_MS}`,
    ...(tests.only === undefined ? [] : ['-t', tests.only]),
    ...(tests.toTheEnd === true ? [] : [`--bail=${ENOUGH_RED}`]),
    ...tests.files,
  ]
  const maxMs = tests.toTheEnd === true ? MAX_WHOLE_RUN_MS : MAX_RUN_MS
  const said = await runNode([VITEST, ...words], folder, maxMs, signal)
  signal.throwIfAborted()
  const outcome = await readFile(outputFile, 'utf8').catch(() => undefined)
  if (outcome === undefined)
    throw new Error(`vitest had no outcome for ${tests.files.join(', ')}: ${said.slice(-2_000)}`)
  return readOutcome(folder, JSON.parse(outcome) as JsonTestResults)
}

function readOutcome(folder: string, { testResults }: JsonTestResults): TestsOutcome {
  const files = testResults.map(result => ({ ...result, file: relative(folder, result.name) }))
  const tests = files.flatMap(({ file, assertionResults }) =>
    assertionResults.map(test => ({ file, ...test })),
  )
  return {
    passed: tests.filter(({ status }) => status === 'passed').length,
    red: tests
      .filter(({ status }) => status === 'failed')
      .map(({ file, fullName, failureMessages }) => {
        const failure = (failureMessages ?? []).join('\n')
        const isAssertion = ASSERTION.test(failure)
        return { file, name: fullName, message: failure.slice(0, 1_000), isAssertion }
      }),
    unloaded: files
      .filter(({ message, assertionResults }) => message !== '' && assertionResults.length === 0)
      .map(({ file, message }) => `${file}: ${message.slice(0, 500)}`),
  }
}

/**
 * `expect` throws the first, `expect.poll` the second, a property of fast-check wraps one; a test itself throws the
 * last, with its own message.
 */
const ASSERTION =
  /AssertionError|__VITEST_POLL_CHAIN__|Property failed|^Error: [^\n]*\n\s+at [^\n]*\.test\.ts:/

/**
 * Resolves with the output of the process; its exit code is in the outcome as well. It leads its own process group: a
 * process that hangs in a loop must be killed with all its children.
 */
async function runNode(
  words: readonly string[],
  cwd: string,
  maxMs: number,
  signal: AbortSignal,
): Promise<string> {
  const child = spawn(process.execPath, words, { cwd, detached: true, env: environment() })
  const kill = (): void => {
    const isRunning = child.exitCode === null && child.signalCode === null
    if (child.pid !== undefined && isRunning) process.kill(-child.pid, 'SIGKILL')
  }
  for (const end of [signal, AbortSignal.timeout(maxMs)]) end.addEventListener('abort', kill)
  return (await Promise.all([text(child.stdout), text(child.stderr)])).join('\n')
}

/** Inside another vitest, the inner one must not inherit its variables. */
function environment(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(
    ([name]) => !/^(VITEST|VITE_|TEST$|NODE_ENV$|NODE_OPTIONS$)/.test(name),
  )
  return Object.fromEntries(kept)
}
