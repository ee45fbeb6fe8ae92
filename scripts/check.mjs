// npm run check: what a reviewer should never have to look for. Types, lint, layers, generated artifacts.

import { join } from 'node:path'
import { createSteps } from './steps.mjs'
import { checkLayers } from './check-layers.mjs'
import { build, root, run, tellFailure } from './prepare.mjs'

const steps = createSteps()
const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc')
const oxlint = join(root, 'node_modules', 'oxlint', 'bin', 'oxlint')

try {
  await steps.step('build', build)
  await steps.step('types', () => run(process.execPath, [tsc, '-p', 'tsconfig.tests.json']))
  await steps.step('lint', () => run(process.execPath, [oxlint, '--type-aware', '--max-warnings=0', 'packages', 'apps', 'examples', 'e2e', 'bench', 'scripts']))
  await steps.step('layers', () => checkLayers(root), count => ({ text: `${count} files` }))
  await steps.step('contracts', () => run(process.execPath, ['packages/contracts/scripts/compile.mjs', '--check']))
} catch (error) {
  tellFailure(error)
}
