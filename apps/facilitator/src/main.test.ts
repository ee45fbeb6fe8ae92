import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startChain } from '@farebox/local/chain/start-chain'
import { TEST_KEYS } from '@farebox/local/chain/test-keys'
import { startChild } from '@farebox/local/src/processes/child-process'
import { expect, test } from 'vitest'

const MAIN = fileURLToPath(new URL('main.ts', import.meta.url))

test('without a DATABASE_URL it starts its own PostgreSQL for the ledger, and stops it at the end', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'farebox-facilitator-'))
  // PostgreSQL started by root runs as another user, who must be able to read its files.
  await chmod(folder, 0o711)
  const chain = await startChain()
  const lines: string[] = []
  try {
    const facilitator = await startChild({
      command: process.execPath,
      arguments: ['--conditions=@farebox/source', '--import', 'tsx', MAIN],
      environment: {
        PATH: process.env['PATH'] ?? '',
        FACILITATOR_PORT: '0',
        FACILITATOR_NETWORK: 'eip155:84532',
        FACILITATOR_DATA: join(folder, 'data'),
        EVM_RPC_URL: chain.rpcUrl,
        RELAYER_PRIVATE_KEY: TEST_KEYS.relayer.privateKey,
      },
      readReady: line => /"event":"listening".*"url":"(http:[^"]+)"/.exec(line)?.[1],
      onLine: line => lines.push(line),
    })
    const port = /PostgreSQL server started for this purpose.*"port":(\d+)/.exec(lines.join('\n'))?.[1]
    const ready = await (await fetch(`${facilitator.ready}/ready`)).json()
    expect(ready).toMatchObject({ ready: true, database: 'ok' })
    expect(await facilitator.stop()).toMatchObject({ code: 0, signal: null })
    await expect(fetch(`http://127.0.0.1:${Number(port)}`)).rejects.toMatchObject({
      cause: { code: 'ECONNREFUSED' },
    })
  } finally {
    await chain.stop()
    await rm(folder, { recursive: true, force: true })
  }
})
