import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { ENVIRONMENT_VARIABLES } from './environment-variables.ts'

const PAGE = fileURLToPath(new URL('../../../../docs/operating-an-agent.md', import.meta.url))

test('D30 the page for operators lists the same variables with the same defaults', async () => {
  const rows = (await readFile(PAGE, 'utf8')).matchAll(/^\| `([A-Z_]+)` \| (\S+) \|/gm)
  const listed = Array.from(rows, ([, name, fallback]) => `${name} ${fallback?.replaceAll('`', '')}`)
  expect(listed.toSorted()).toEqual(
    ENVIRONMENT_VARIABLES.map(({ name, fallback }) => `${name} ${fallback}`).toSorted(),
  )
})
