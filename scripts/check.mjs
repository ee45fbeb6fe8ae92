// npm run check: the checks that a reviewer should never have to make. Types, lint, format, layers, generated
// artifacts. `npm run check -- --fix` formats, and writes generated files again instead of failing.

import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { createSteps } from './steps.mjs'
import { checkDoors } from './check-doors.mjs'
import { checkHomes } from './check-homes.mjs'
import { checkLayers } from './check-layers.mjs'
import { checkPaths } from './check-paths.mjs'
import { checkRooms } from './check-rooms.mjs'
import { checkRules } from './check-rules.mjs'
import { checkStyles } from './check-styles.mjs'
import { checkUnreliable } from './unreliable-tests.mjs'
import { checkWriters } from './check-writers.mjs'
import { checkEvidence, drawPages } from './evidence/draw.mjs'
import { build, root, run, tellFailure } from './prepare.mjs'

const SOURCES = ['packages', 'apps', 'examples', 'e2e', 'bench', 'fire', 'scripts', 'knip.config.js']
const fix = process.argv.includes('--fix')
const steps = createSteps()

const node = (program, ...words) => run(process.execPath, [join(root, program), ...words])
/** A program of ours that imports private modules of the builds. */
const nodeOnBuilds = (program, ...words) =>
  run(process.execPath, ['--conditions=@farebox/built', join(root, program), ...words])

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
  await steps.step(
    'rooms',
    () => checkRooms(root),
    count => ({ text: `${count} folders` }),
  )
  await steps.step('doors', checkDoors, ({ doors, internals, examples }) => ({
    text: `${doors}, ${examples} examples`,
    note: `${internals} internal`,
  }))
  await steps.step('unused', () => node('node_modules/knip/bin/knip.js', '--no-progress', '--cache'))
  await steps.step(
    'rules',
    () => checkRules(root),
    count => ({ text: `${count} cited` }),
  )
  await steps.step(
    'paths',
    () => checkPaths(root),
    count => ({ text: `${count} named` }),
  )
  await steps.step(
    'writers',
    () => checkWriters(root),
    count => ({ text: `${count} statements` }),
  )
  await steps.step(
    'homes',
    () => checkHomes(root),
    count => ({ text: `${count} acts` }),
  )
  await steps.step(
    'styles',
    () => checkStyles(root),
    count => ({ text: `${count} classes` }),
  )
  await steps.step(
    'unreliable',
    async () => checkUnreliable(root),
    count => ({ text: `${count} listed` }),
  )
  await steps.step('contracts', () => node('packages/contracts/scripts/compile.mjs', '--check'))
  await steps.step('schema', () =>
    node('packages/farebox/scripts/write-agent-schema.mjs', ...(fix ? [] : ['--check'])),
  )
  await steps.step('vector', () =>
    nodeOnBuilds('packages/payments/scripts/write-wire-vector.mjs', ...(fix ? [] : ['--check'])),
  )
  await steps.step('reference', () =>
    nodeOnBuilds('packages/farebox/scripts/write-agent-reference.mjs', ...(fix ? [] : ['--check'])),
  )
  await steps.step(
    'evidence',
    () => {
      if (fix) drawPages(root)
      return checkEvidence(root)
    },
    ({ count, old, unknown }) => ({
      text: `${count} records`,
      note: [
        ...(old.length > 0 ? [`old: ${old.join(', ')}`] : []),
        ...(unknown.length > 0 ? [`age not known: ${unknown.join(', ')}`] : []),
      ].join('; '),
    }),
  )
  await steps.step('examples', checkExamples, count => ({ text: `${count} typed` }))
} catch (error) {
  tellFailure(error)
}

/** Each example's `agent.d.ts` matches its `agent.json`. */
async function checkExamples() {
  const folder = join(root, 'examples')
  const configs = readdirSync(folder)
    .map(name => join(folder, name, 'agent.json'))
    .filter(file => existsSync(file))
  for (const config of configs) {
    const words = ['types', '--config', config, ...(fix ? [] : ['--check'])]
    await node('packages/cli/bin/farebox-cli.js', ...words)
  }
  return configs.length
}
