// npm run check: what a reviewer should never have to look for. Types, lint, format, layers, generated artifacts.
// `npm run check -- --fix` formats instead of complaining.

import { join } from 'node:path'
import { createSteps } from './steps.mjs'
import { checkLayers } from './check-layers.mjs'
import { build, root, run, tellFailure } from './prepare.mjs'

const SOURCES = ['packages', 'apps', 'examples', 'e2e', 'bench', 'scripts']
const fix = process.argv.includes('--fix')
const steps = createSteps()

const node = (program, ...words) => run(process.execPath, [join(root, program), ...words])

try {
  await steps.step('build', build)
  await steps.step('types', () => node('node_modules/typescript/bin/tsc', '-p', 'tsconfig.tests.json'))
  await steps.step('format', () =>
    node('node_modules/oxfmt/bin/oxfmt', ...(fix ? [] : ['--check']), ...SOURCES),
  )
  await steps.step('lint', () =>
    node('node_modules/oxlint/bin/oxlint', '--type-aware', '--max-warnings=0', ...SOURCES),
  )
  await steps.step(
    'layers',
    () => checkLayers(root),
    count => ({ text: `${count} files` }),
  )
  await steps.step('contracts', () => node('packages/contracts/scripts/compile.mjs', '--check'))
} catch (error) {
  tellFailure(error)
}
