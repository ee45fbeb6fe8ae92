import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

/** A rule that begins a line, outside of every at-rule: its selectors. */
const RULES = /^([^\s@/}][^{]*) \{$/gm

test('a selector is at home in one style sheet: none adds to what another one has laid out', () => {
  const homes = new Map<string, Set<string>>()
  for (const file of readdirSync(import.meta.dirname).filter(name => name.endsWith('.css'))) {
    const text = readFileSync(`${import.meta.dirname}/${file}`, 'utf8')
    for (const [, selectors = ''] of text.matchAll(RULES)) {
      for (const selector of selectors.split(/,\s+/))
        homes.set(selector, (homes.get(selector) ?? new Set()).add(file))
    }
  }
  expect(homes.size).toBeGreaterThan(200)
  expect([...homes].filter(([, files]) => files.size > 1).map(([name, files]) => [name, ...files])).toEqual(
    [],
  )
})
