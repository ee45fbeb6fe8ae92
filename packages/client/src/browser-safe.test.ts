import { readFileSync, readdirSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const SOURCE = dirname(fileURLToPath(import.meta.url))
const PACKAGES = resolve(SOURCE, '../..')

/** Modules that a file imports before it runs: type imports are removed by then, and `import()` runs only when needed. */
const STATIC_IMPORT = /^(?:import|export)\s(?!type\b)(?:[^'"]*?\sfrom\s)?['"]([^'"]+)['"]/gm

/** All modules that the files import, directly or through our own modules; modules of other packages are named. */
function importsOf(files: readonly string[]): ReadonlySet<string> {
  const packages = new Set<string>()
  const seen = new Set(files)
  // Iterating a set includes elements added during the iteration.
  for (const file of seen) {
    // Imports in the examples of comments do not count.
    const code = readFileSync(file, 'utf8').replaceAll(/\/\*\*[^]*?\*\//g, '')
    for (const [, specifier = ''] of code.matchAll(STATIC_IMPORT)) {
      const [, ours, path] = /^@farebox\/([^/]+)\/(?:internal\/)?(.+)$/.exec(specifier) ?? []
      if (specifier.startsWith('.')) seen.add(resolve(dirname(file), specifier))
      else if (ours !== undefined) seen.add(join(PACKAGES, ours, 'src', `${path}.ts`))
      else packages.add(specifier)
    }
  }
  return packages
}

/** The functions for runs of flows also import the schemas of a platform's responses. */
const OF_RUNS = ['run-flow.ts', 'resume-run.ts', 'control-run.ts']

const doors = readdirSync(SOURCE).filter(name => name.endsWith('.ts') && !name.endsWith('.test.ts'))

test('runs in a browser: no import leads to a Node module', () => {
  expect([...importsOf(doors.map(name => join(SOURCE, name)))].toSorted()).toEqual(['re2js', 'zod'])
})

test('a caller of an agent does not load the schemas of a platform', () => {
  const others = doors.filter(name => !OF_RUNS.includes(name))
  expect([...importsOf(others.map(name => join(SOURCE, name)))]).toEqual(['re2js'])
})
