// Runs vitest. In a run of a whole, a few files that failed are run once more, alone: decision 0027.

import { spawn } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { root } from './prepare.mjs'

/** Projects of vitest.config.ts that are run as a whole: by `npm test`, and by `npm test -- <name>`. */
const TESTS = ['packages', 'isolation']
const NAMED = {
  long: ['long', 'isolation-long'],
  web: ['web'],
  fire: ['batteries', 'batteries-alone'],
}

/** More than so many are no matter of a busy machine. */
const MOST_FILES_AGAIN = 6

/**
 * Resolves to the exit code.
 *
 * @param {readonly string[]} words which tests, and vitest's options; none: all but those that have a name: `long`, `web` and `fire`
 * @param {Readonly<Record<string, string>>} environment beside the process's own
 * @param {(text: string) => void} tell
 */
export async function runVitest(words, environment, tell) {
  if (words.some(word => NAMED[word] === undefined)) return vitest(words, environment)
  const whole = words.length === 0 ? TESTS : words.flatMap(word => NAMED[word])
  const projects = whole.map(name => `--project=${name}`)
  const folder = await mkdtemp(join(tmpdir(), 'farebox-test-report-'))
  try {
    const report = join(folder, 'report.json')
    const code = await vitest(
      [...projects, '--reporter=default', '--reporter=json', `--outputFile=${report}`],
      environment,
    )
    if (code === 0) return 0
    const failed = await failedFiles(report)
    if (failed.length === 0 || failed.length > MOST_FILES_AGAIN) return code
    const names = failed.map(file => `    ${file}`).join('\n')
    tell(`\n  Failed beside the others. Once more, alone:\n${names}\n`)
    const codeAlone = await vitest(['--maxWorkers=1', ...failed], environment)
    if (codeAlone === 0) tell(`  Shaky: failed beside the others (see above), passed alone:\n${names}\n`)
    return codeAlone
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Paths below the root. None where there is no whole report, or what failed was no test. */
async function failedFiles(report) {
  const text = await readFile(report, 'utf8').catch(() => '')
  if (text === '') return []
  const { testResults } = JSON.parse(text)
  return testResults.filter(({ status }) => status !== 'passed').map(({ name }) => relative(root, name))
}

function vitest(words, environment) {
  return new Promise((resolve, reject) => {
    const program = join(root, 'node_modules', 'vitest', 'vitest.mjs')
    const child = spawn(process.execPath, [program, 'run', ...words], {
      cwd: root,
      stdio: 'inherit',
      env: { ...process.env, ...environment },
    })
    child.on('error', reject)
    child.on('close', code => resolve(code ?? 1))
  })
}
