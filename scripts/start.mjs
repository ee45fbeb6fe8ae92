// npm start: from a fresh clone to paid jobs. Needs nothing but Node and npm.

import { createSteps } from './steps.mjs'
import { buildToRun, installPackages, requireNode, root, tellFailure } from './prepare.mjs'

const steps = createSteps()

try {
  requireNode()
  // Before anything is installed, so that a mistake costs no minutes. It is loaded once Node is new enough.
  const { HELP, readFlags } = await import('./start-flags.mjs')
  const flags = readFlags(process.argv.slice(2))
  if (flags.help) steps.line(HELP)
  else await start(flags)
} catch (error) {
  tellFailure(error)
}

async function start(flags) {
  steps.line()
  steps.line(`${steps.bold('Farebox')}  exact fare, per ride`)
  steps.line()
  await steps.step('packages', installPackages, fresh => ({ text: fresh ? 'installed' : 'up to date' }))
  await steps.step('built', buildToRun)
  const { runLocal } = await import('../apps/local/dist/run-local.js')
  process.exitCode = await runLocal({ flags, root, steps })
}
