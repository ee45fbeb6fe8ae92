import { readFileSync, readdirSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const SOURCE = dirname(fileURLToPath(import.meta.url))
const PACKAGES = resolve(SOURCE, '../..')

/**
 * Values that a file imports before it runs; types are gone by then, and `import()` is asked for when needed.
 */
const STATIC_IMPORT = /^(?:import|export)\s(?!type\b)(?:[^'"]*?\sfrom\s)?['"]([^'"]+)['"]/gm

/** Everything that comes along with the files, ours followed, other packages named. */
function importsOf(files: readonly string[]): ReadonlySet<string> {
  const packages = new Set<string>()
  const seen = new Set(files)
  // A set yields what is added to it on the way.
  for (const file of seen) {
    // What examples in comments import does not come along.
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

/** What the functions for runs of flows come with beside: the schemas of a platform's answers. */
const OF_RUNS = ['run-flow.ts', 'resume-run.ts', 'control-run.ts']

const doors = readdirSync(SOURCE).filter(name => name.endsWith('.ts') && !name.endsWith('.test.ts'))

test('runs in a browser: whatever it imports, nothing of Node comes along', () => {
  expect([...importsOf(doors.map(name => join(SOURCE, name)))].toSorted()).toEqual(['re2js', 'zod'])
})

test('who calls an agent does not load the schemas of a platform', () => {
  const others = doors.filter(name => !OF_RUNS.includes(name))
  expect([...importsOf(others.map(name => join(SOURCE, name)))]).toEqual(['re2js'])
})
