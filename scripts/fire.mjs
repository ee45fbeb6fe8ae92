// npm run fire: all batteries, which try to break the promises, and the scorecard. `npm run fire -- --help` lists the
// options.

import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { build, installPackages, requireNode, root, tellFailure } from './prepare.mjs'
import { createSteps } from './steps.mjs'

const steps = createSteps()

try {
  requireNode()
  await steps.step('packages', installPackages, fresh => ({ text: fresh ? 'installed' : 'up to date' }))
  await steps.step('built', build)
  process.exitCode = await fire(process.argv.slice(2))
} catch (error) {
  tellFailure(error)
}

/** From the sources: a battery never tests an outdated build. The processes it starts are those just built. */
function fire(words) {
  return new Promise((resolve, reject) => {
    // Ctrl-C reaches the batteries too; they end their processes, and we wait for them.
    process.on('SIGINT', () => {})
    const flags = ['--import', 'tsx', '--conditions', '@farebox/source']
    const child = spawn(process.execPath, [...flags, join(root, 'fire', 'src', 'main.ts'), ...words], {
      cwd: root,
      stdio: 'inherit',
    })
    child.on('error', reject)
    child.on('close', code => resolve(code ?? 1))
  })
}
