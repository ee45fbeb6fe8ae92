import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { readFacilitatorEnvironment } from './read-environment.ts'
import { FACILITATOR_VARIABLES } from './variables.ts'

test('every variable of the help is in the operator’s page, with its default', () => {
  const page = readFileSync(new URL('../../../../docs/operating-the-facilitator.md', import.meta.url), 'utf8')
  const rows = page.split('\n').filter(line => line.startsWith('| `'))
  for (const [name, help] of Object.entries(FACILITATOR_VARIABLES)) {
    const row = rows.find(line => line.split('|')[1]?.includes(`\`${name}\``))
    expect(row, name).toBeDefined()
    const isKeyFile = name.endsWith('_FILE')
    if (!isKeyFile) expect(row?.split('|')[2], name).toContain('default' in help ? help.default : '–')
  }
})

test('all variables that are missing are named in one run', () => {
  const source = { variables: { METRICS_PORT: 'x', FACILITATOR_MAX_FEE_GWEI: '0' }, readFile: () => '' }
  expect(() => readFacilitatorEnvironment(source, { bringsDatabase: false })).toThrow(
    expect.objectContaining({
      problems: [
        expect.stringMatching(/^METRICS_PORT must be a port/),
        expect.stringMatching(/^EVM_RPC_URL is not set/),
        expect.stringMatching(/^RELAYER_PRIVATE_KEY is not set/),
        expect.stringMatching(/^DATABASE_URL is not set/),
        expect.stringMatching(/^FACILITATOR_MAX_FEE_GWEI must be a whole number/),
      ],
    }),
  )
})
