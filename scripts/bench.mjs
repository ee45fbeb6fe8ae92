// npm run bench: measures the speed of the build. `npm run bench -- --help` lists the options.

import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { build, Explained, installPackages, requireNode, root, run } from './prepare.mjs'
import { createSteps } from './steps.mjs'

const steps = createSteps()

try {
  requireNode()
  await steps.step('packages', installPackages, fresh => ({ text: fresh ? 'installed' : 'up to date' }))
  await steps.step('built', buildBench)
  await steps.step('bundled', bundle)
  process.exitCode = await bench(process.argv.slice(2))
} catch (error) {
  process.stderr.write(`\n✗ ${error instanceof Explained ? error.message : (error?.stack ?? error)}\n`)
  process.exitCode = 1
}

/** `npm start` does not need the bench, so its build is separate. */
async function buildBench() {
  await build()
  await run(process.execPath, [join(root, 'node_modules', 'typescript', 'bin', 'tsc'), '-b', 'bench'])
}

/** The published files, and their bundler, exist only after the packages are installed. */
async function bundle() {
  const { bundleRuntime } = await import('../packages/farebox/scripts/bundle.mjs')
  await bundleRuntime(join(root, 'packages', 'farebox', 'bundle'))
}

/** Plain Node on plain JavaScript, the runtime as published: the measured code is the shipped code. */
function bench(words) {
  return new Promise((resolve, reject) => {
    // Ctrl-C reaches the bench too; it ends its servers, and we wait for it.
    process.on('SIGINT', () => {})
    // The bench imports private modules of the builds.
    const program = ['--conditions=@farebox/built', join(root, 'bench', 'dist', 'main.js')]
    const child = spawn(process.execPath, [...program, ...words], {
      cwd: root,
      stdio: 'inherit',
    })
    child.on('error', reject)
    child.on('close', code => resolve(code ?? 1))
  })
}
