// npm start: from a fresh clone to paid jobs. Needs nothing but Node and npm.

import { createSteps } from './steps.mjs'
import { buildToRun, installPackages, requireNode, root, tellFailure } from './prepare.mjs'

const steps = createSteps()

try {
  requireNode()
  steps.line()
  steps.line(`${steps.bold('Farebox')}  exact fare, per ride`)
  steps.line()
  await steps.step('packages', installPackages, fresh => ({ text: fresh ? 'installed' : 'up to date' }))
  await steps.step('built', buildToRun)
  const { runLocal } = await import('../apps/local/dist/run-local.js')
  process.exitCode = await runLocal({ words: process.argv.slice(2), root, steps })
} catch (error) {
  tellFailure(error)
}
