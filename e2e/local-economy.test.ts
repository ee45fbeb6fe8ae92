import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startEconomy } from '@farebox/local/economy'
import { findFreePort } from '@farebox/local/src/processes/free-port'
import { TEST_KEYS } from '@farebox/local/chain/test-keys'
import { expect, test } from 'vitest'

const root = fileURLToPath(new URL('..', import.meta.url))

test('an agent whose port is taken stops the whole start, and no process is left running', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'farebox-economy-'))
  // PostgreSQL started by root runs as another user, who must be able to read its files.
  await chmod(folder, 0o711)
  const [first, taken] = [await findFreePort(), await findFreePort()]
  const squatter = createServer().listen(taken, '127.0.0.1')
  try {
    const starting = startEconomy({
      folder,
      chainPort: 0,
      facilitatorPort: 0,
      agents: [
        {
          config: join(root, 'examples/text-statistics/agent.json'),
          wallet: TEST_KEYS.agent.address,
          port: first,
        },
        {
          config: join(root, 'examples/qr-code/agent.json'),
          wallet: TEST_KEYS.secondAgent.address,
          port: taken,
        },
      ],
    })
    await expect(starting).rejects.toThrow(`Port ${taken} is taken`)
    await expect(fetch(`http://127.0.0.1:${first}/health`)).rejects.toThrow()
  } finally {
    squatter.close()
    await rm(folder, { recursive: true, force: true })
  }
})
