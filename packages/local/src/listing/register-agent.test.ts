import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { registerAgent } from './register-agent.ts'

const WALLET = `0x${'ab'.repeat(20)}`

test('the wait for a platform that does not list an agent ends when the start is cancelled', async () => {
  const stopping = new AbortController()
  let asked = 0
  const platform = createServer((request, response) => {
    request.resume()
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(CONFIRMING))
    // The first request registers; the later ones query whether the agent is listed.
    asked += 1
    if (asked === 3) stopping.abort(new Error('stopped while starting'))
  })
  await new Promise<void>(resolve => platform.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(platform.address() as AddressInfo).port}`
  try {
    const chain = { rpcUrl: 'http://127.0.0.1:1' }
    const agent = { url: CONFIRMING.endpoint, wallet: WALLET }
    await expect(registerAgent({ url }, chain, agent, stopping.signal)).rejects.toThrow(
      'stopped while starting',
    )
  } finally {
    platform.closeAllConnections()
    await new Promise(resolve => platform.close(resolve))
  }
})

const CONFIRMING = {
  registration_id: '3f8a2c1e-9b4d-4f6a-8c2b-1d5e7f9a0b3c',
  endpoint: 'http://localhost:3001',
  found: { phase: 'phase-1', name: 'Word counter' },
  examined_at: 1_795_000_000,
  checks: [],
  stake_wei: '1000000000000000',
  registry_address: WALLET,
  chain_id: 84_532,
  call_data: '0x12',
  register_page_url: 'http://localhost:4000/register/3f8a2c1e-9b4d-4f6a-8c2b-1d5e7f9a0b3c',
  status: {
    state: 'confirming',
    agent_id: 1,
    transaction: `0x${'cd'.repeat(32)}`,
    confirmations: 0,
    confirmations_wanted: 2,
  },
  staked_by_others: [],
}
