// A package imports from lower rows only. The rows are the architecture; ARCHITECTURE.md draws them.

import { readdirSync, readFileSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { Explained } from './prepare.mjs'

const ROWS = [
  ['packages/protocol', 'packages/contracts'],
  ['packages/flows', 'packages/payments'],
  ['packages/server', 'packages/platform-api'],
  ['packages/client'],
  ['packages/farebox', 'packages/facilitator', 'apps/web'],
  ['packages/platform', 'packages/conformance'],
  ['packages/local'],
  ['packages/cli'],
  ['apps/facilitator', 'apps/platform', 'apps/local', 'examples'],
  ['e2e', 'bench', 'fire'],
]

/** Tests may import the local chain and database, on which they run. */
const TESTS_MAY_USE = '@farebox/local'

const IMPORT = /(?:from|import)\s*\(?\s*['"]((?:@farebox\/|farebox)[^'"]*)['"]/g

/** Throws with each import that goes up or sideways; resolves to the number of files read. */
export async function checkLayers(root) {
  const rowOf = new Map(ROWS.flatMap((folders, row) => folders.map(folder => [nameOf(root, folder), row])))
  const problems = []
  let count = 0
  for (const folder of ROWS.flat()) {
    const name = nameOf(root, folder)
    for (const file of sources(join(root, folder))) {
      count += 1
      for (const [, specifier] of readFileSync(file, 'utf8').matchAll(IMPORT)) {
        const target = specifier.startsWith('@')
          ? specifier.split('/').slice(0, 2).join('/')
          : specifier.split('/')[0]
        if (target === name || (isTest(file) && target === TESTS_MAY_USE)) continue
        const row = rowOf.get(target)
        if (row === undefined) problems.push(`${relative(root, file)}: ${specifier} is in no row`)
        else if (row >= rowOf.get(name))
          problems.push(`${relative(root, file)}: imports ${specifier}, which is not below ${name}`)
      }
    }
  }
  if (problems.length > 0) throw new Explained(`imports that break the layers\n  ${problems.join('\n  ')}`)
  return count
}

function nameOf(root, folder) {
  return JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')).name
}

function isTest(file) {
  return (
    file.endsWith('.test.ts') ||
    file.includes(`${sep}test-setup${sep}`) ||
    file.includes(`${sep}testing${sep}`)
  )
}

function* sources(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) {
      if (!['node_modules', 'dist'].includes(entry.name)) yield* sources(path)
    } else if (/\.m?ts$/.test(entry.name)) yield path
  }
}
