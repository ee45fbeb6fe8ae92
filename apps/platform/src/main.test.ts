import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startChain } from '@farebox/local/chain/start-chain'
import { startChild } from '@farebox/local/src/processes/child-process'
import { findFreePort } from '@farebox/local/src/processes/free-port'
import { expect, test } from 'vitest'

const MAIN = fileURLToPath(new URL('main.ts', import.meta.url))

test('without a DATABASE_URL it starts its own PostgreSQL and stops it at the end; D31 metrics have their own port', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'farebox-platform-'))
  // PostgreSQL started by root runs as another user, who must be able to read its files.
  await chmod(folder, 0o711)
  const chain = await startChain()
  const metricsPort = await findFreePort()
  const lines: string[] = []
  try {
    const platform = await startChild({
      command: process.execPath,
      arguments: ['--conditions=@farebox/source', '--import', 'tsx', MAIN],
      environment: {
        PATH: process.env['PATH'] ?? '',
        PLATFORM_PORT: '0',
        PLATFORM_PUBLIC_URL: 'http://localhost:4000',
        PLATFORM_LOCAL: 'true',
        METRICS_PORT: String(metricsPort),
        PLATFORM_NETWORK: 'eip155:84532',
        PLATFORM_DATA: join(folder, 'data'),
        AGENT_REGISTRY_ADDRESS: chain.agentRegistry,
        EVM_RPC_URL: chain.rpcUrl,
      },
      readReady: line => /"event":"listening".*"url":"(http:[^"]+)"/.exec(line)?.[1],
      onLine: line => lines.push(line),
    })
    const port = /PostgreSQL server started for this purpose.*"port":(\d+)/.exec(lines.join('\n'))?.[1]
    expect((await fetch(`${platform.ready}/ready`)).status).toBe(200)
    expect(await (await fetch(`${platform.ready}/v1/agents?q=anything`)).json()).toMatchObject({ agents: [] })
    const metrics = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text()
    expect(metrics).toContain('farebox_platform_answers_total{route="GET /v1/agents",status="200"} 1')
    expect(await platform.stop()).toMatchObject({ code: 0, signal: null })
    await expect(fetch(`http://127.0.0.1:${Number(port)}`)).rejects.toMatchObject({
      cause: { code: 'ECONNREFUSED' },
    })
  } finally {
    await chain.stop()
    await rm(folder, { recursive: true, force: true })
  }
})
