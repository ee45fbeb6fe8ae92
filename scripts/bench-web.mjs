// npm run bench:web: the web's figures, in Chromium, on what was built. `npm run bench:web -- --help` tells the options.

import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { build, installPackages, requireNode, root, tellFailure } from './prepare.mjs'
import { createSteps } from './steps.mjs'

const steps = createSteps()

try {
  requireNode()
  await steps.step('packages', installPackages, fresh => ({ text: fresh ? 'installed' : 'up to date' }))
  await steps.step('built', build)
  process.exitCode = await bench(process.argv.slice(2))
} catch (error) {
  tellFailure(error)
}

/** The programs that are measured are the built ones; the one that measures runs from its sources. */
function bench(words) {
  return new Promise((resolve, reject) => {
    // Ctrl-C reaches the bench too; it ends what it started, and we wait for it.
    process.on('SIGINT', () => {})
    const program = join(root, 'bench', 'src', 'web', 'web-bench.ts')
    const child = spawn(
      process.execPath,
      ['--conditions=@farebox/source', '--import', 'tsx', program, ...words],
      { cwd: root, stdio: 'inherit' },
    )
    child.on('error', reject)
    child.on('close', code => resolve(code ?? 1))
  })
}
