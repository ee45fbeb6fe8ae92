// The first steps of both commands of the README: packages installed, sources built.

import { spawn } from 'node:child_process'
import { statSync, utimesSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('..', import.meta.url))

const OLDEST_NODE = [20, 19]

/** A failure with an explanation: printed without a stack. */
export class Explained extends Error {}

/** Throws with the fix if this Node is too old. */
export function requireNode(version = process.versions.node) {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  if (major > OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor >= OLDEST_NODE[1])) return
  throw new Explained(
    `this is Node ${version}: install Node ${OLDEST_NODE.join('.')} or newer (https://nodejs.org)`,
  )
}

/**
 * Installs the packages of the lock file, unless they were installed since it last changed. Resolves to whether it
 * installed them.
 */
export async function installPackages(report = () => {}) {
  const [locked, installed] = ['package-lock.json', 'node_modules/.package-lock.json'].map(file =>
    changedAt(join(root, file)),
  )
  if (installed >= locked) return false
  report('npm ci (once, about a minute)')
  await run('npm', ['ci', '--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error'])
  return true
}

function changedAt(file) {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0
}

/** Compiles every package, its types checked, and bundles what browsers run. */
export async function build() {
  await compileAndBundle([])
}

/** Like `build`, without checking types: that takes two thirds of the time, and running programs do not need it. */
export async function buildToRun() {
  await compileAndBundle(['--noCheck'])
}

async function compileAndBundle(options) {
  // Bundles are made from the sources. If there are none yet, the list of changed files is not needed.
  const missing = BUNDLES.filter(({ made }) => changedAt(join(root, made)) === 0)
  const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc')
  const results = await Promise.allSettled([
    run(process.execPath, [tsc, '-b', ...options]),
    ...missing.map(makeBundle),
  ])
  for (const { reason } of results) if (reason !== undefined) throw reason
  const now = new Date()
  for (const { made } of missing) utimesSync(join(root, made), now, now)
  for (const bundle of await findStale()) await makeBundle(bundle)
}

/** The code for browsers: the platform's pages, and the page of `farebox dev`, which ships in the CLI's build. */
const BUNDLES = [
  { config: 'vite.config.ts', made: 'apps/web/dist/client/.vite/manifest.json' },
  { config: 'vite.dev-page.config.ts', made: 'packages/cli/dist/client/index.html' },
]

/** The bundles with a source that has changed since they were made. */
async function findStale() {
  const web = join(root, 'apps', 'web')
  const packages = ['flows', 'payments', 'platform-api', 'protocol'].map(name => join('packages', name))
  const sources = ['apps/web', ...packages].map(folder => join(root, folder, 'tsconfig.tsbuildinfo'))
  const inputs = [
    ...sources,
    ...(await filesIn(join(web, 'src', 'styles'))),
    join(web, 'src', 'dev-page', 'index.html'),
  ]
  return BUNDLES.filter(
    ({ config, made }) =>
      Math.max(...[...inputs, join(web, config)].map(changedAt)) >= changedAt(join(root, made)),
  )
}

async function makeBundle({ config }) {
  const vite = join(root, 'node_modules', 'vite', 'bin', 'vite.js')
  await run(process.execPath, [vite, 'build', '--config', config], { cwd: join(root, 'apps', 'web') })
}

async function filesIn(folder) {
  return (await readdir(folder)).map(name => join(folder, name))
}

/** Runs a program quietly; if it fails, throws with its output. */
export function run(command, parameters, options = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, parameters, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'], ...options })
    let output = ''
    const keep = chunk => {
      output = (output + chunk).slice(-20_000)
    }
    child.stdout?.on('data', keep)
    child.stderr?.on('data', keep)
    child.on('error', reject)
    child.on('close', code => {
      if (code === 0) resolve(output)
      else
        reject(
          new Explained(
            `${[command, ...parameters].join(' ')} failed (exit code ${code})\n\n${firstLines(output)}`,
          ),
        )
    })
  })
}

/** The error is printed first; pages of usage may follow. */
function firstLines(output, limit = 60) {
  const lines = output.trim().split('\n')
  return lines.length > limit
    ? [...lines.slice(0, limit), `… ${lines.length - limit} more lines`].join('\n')
    : lines.join('\n')
}

/** The message when a command cannot continue: a sentence; the stack only for bugs of ours. */
export function tellFailure(error) {
  const ours =
    !(error instanceof Error) ||
    error instanceof TypeError ||
    error instanceof ReferenceError ||
    error instanceof SyntaxError
  process.stderr.write(`\n✗ ${ours ? (error?.stack ?? error) : error.message}\n`)
  process.exitCode = 1
}
