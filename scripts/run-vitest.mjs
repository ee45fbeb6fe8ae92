// Runs vitest. A test that fails makes the run fail, unless it is listed by name in unreliable-tests.json.

import { spawn } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { root } from './prepare.mjs'
import { unreliableTests } from './unreliable-tests.mjs'

/** Projects of vitest.config.ts that `npm test` runs, and those that are run by name. */
const ALL = ['quick', 'staged']
const NAMED = [...ALL, 'long', 'web', 'fire']

/**
 * Resolves to the exit code.
 *
 * @param {readonly string[]} words which tests, and vitest's options; none: all but `long`, `web` and `fire`
 * @param {Readonly<Record<string, string>>} environment beside the process's own
 * @param {(text: string) => void} print
 */
export async function runVitest(words, environment, print) {
  const named = words.filter(word => NAMED.includes(word))
  const lanes = words.length === 0 ? ALL : named
  const together = lanes.filter(name => name !== 'quick')
  const projects = together.length > 1 ? [...lanes.filter(name => name === 'quick'), 'staged'] : lanes
  const options = [
    ...projects.map(name => `--project=${name}`),
    ...words.filter(word => !NAMED.includes(word)),
  ]
  const listed = unreliableTests(root)
  const variables =
    together.length > 1 ? { ...environment, FAREBOX_TEST_LANES: together.join(',') } : environment
  if (listed.length === 0) return vitest(options, variables)
  return runWithListed(options, variables, { listed, print })
}

async function runWithListed(options, environment, { listed, print }) {
  const folder = await mkdtemp(join(tmpdir(), 'farebox-test-report-'))
  try {
    const report = join(folder, 'report.json')
    const reporters = ['--reporter=default', '--reporter=json', `--outputFile=${report}`]
    const code = await vitest([...options, ...reporters], environment)
    if (code === 0) return 0
    const { failed, others } = readFailures(await readFile(report, 'utf8'), listed)
    if (failed.length === 0 || others > 0) return code
    for (const { file, title, since, reason } of failed)
      print(`  Failed, and listed as unreliable since ${since}: ${file} "${title}" (${reason})`)
    return 0
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** The listed tests that failed, and the number of other failures. A file that failed as a whole counts as one. */
function readFailures(report, listed) {
  const failed = []
  let others = 0
  for (const { name, status, assertionResults } of JSON.parse(report).testResults) {
    const file = relative(root, name)
    const titles = assertionResults.filter(one => one.status === 'failed').map(one => one.fullName)
    if (status !== 'passed' && titles.length === 0) others += 1
    for (const title of titles) {
      const entry = listed.find(one => one.file === file && one.title === title)
      if (entry === undefined) others += 1
      else failed.push(entry)
    }
  }
  return { failed, others }
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
