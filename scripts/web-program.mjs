// npm run shots: a program that looks at the pages in Chromium, as they were built. It runs from
// its sources itself; what it looks at does not. Its path comes first, then its own words.

import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { build, installPackages, requireNode, root, tellFailure } from './prepare.mjs'
import { createSteps } from './steps.mjs'

const steps = createSteps()

try {
  requireNode()
  await steps.step('packages', installPackages, fresh => ({ text: fresh ? 'installed' : 'up to date' }))
  await steps.step('built', build)
  const [program, ...words] = process.argv.slice(2)
  process.exitCode = await runFromSources(join(root, program), words)
} catch (error) {
  tellFailure(error)
}

function runFromSources(program, words) {
  return new Promise((resolve, reject) => {
    // Ctrl-C reaches the program too; it ends its processes, and we wait for it.
    process.on('SIGINT', () => {})
    const node = ['--conditions=@farebox/source', '--import', 'tsx', program]
    const child = spawn(process.execPath, [...node, ...words], { cwd: root, stdio: 'inherit' })
    child.on('error', reject)
    child.on('close', code => resolve(code ?? 1))
  })
}
