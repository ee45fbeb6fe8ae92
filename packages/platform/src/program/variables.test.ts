import { readFileSync } from 'node:fs'
import { loadEvmCrypto } from '@farebox/payments/crypto/evm-crypto'
import { expect, test } from 'vitest'
import { readEnvironment } from './read-environment.ts'
import { PLATFORM_VARIABLES } from './variables.ts'

test('every variable of the help is in the operator’s page, with its default', () => {
  const page = readFileSync(new URL('../../../../docs/operating-the-platform.md', import.meta.url), 'utf8')
  const rows = page.split('\n').filter(line => line.startsWith('| `'))
  for (const [name, help] of Object.entries(PLATFORM_VARIABLES)) {
    const row = rows.find(line => line.split('|')[1]?.includes(`\`${name}\``))
    expect(row, name).toBeDefined()
    expect(row?.split('|')[2], name).toContain('default' in help ? help.default : '–')
  }
})

test('all missing variables are named in one run', async () => {
  const crypto = await loadEvmCrypto()
  const source = { variables: { PLATFORM_PORT: 'http' }, readFile: () => '' }
  expect(() => readEnvironment(source, crypto, { bringsDatabase: false })).toThrow(
    expect.objectContaining({
      problems: [
        expect.stringMatching(/^PLATFORM_PORT must be a port/),
        expect.stringMatching(/^EVM_RPC_URL is not set/),
        expect.stringMatching(/^DATABASE_URL is not set/),
        expect.stringMatching(/^AGENT_REGISTRY_ADDRESS is not set/),
      ],
    }),
  )
})
