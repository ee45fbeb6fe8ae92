import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { loadKeccak } from '@farebox/payments/crypto/evm-crypto'
import { systemClock } from '@farebox/protocol/time/clock'
import { afterEach, describe, expect, test } from 'vitest'
import { readEnvironment, type Variables } from '../environment/read-environment.ts'
import { createLog } from '../log.ts'
import { warnOfFacilitator } from './warn-of-facilitator.ts'

const KIND = { x402Version: 2, scheme: 'exact', network: 'eip155:84532' }
const OURS = { kinds: [KIND], extensions: ['farebox-hold'], signers: {} }

let server: Server | undefined
afterEach(() => server?.close())

/**
 * A facilitator with this answer to `/supported` and this status for a release; `asked` counts the calls of
 * `/supported`.
 */
async function serveSupported(
  answer: object,
  released = 200,
): Promise<{ readonly url: string; asked(): number }> {
  let asked = 0
  const made = createServer((request, response) => {
    if (request.url === '/supported') asked += 1
    if (request.url === '/release') response.statusCode = released
    response.setHeader('content-type', 'application/json').end(JSON.stringify(answer))
  })
  server = made
  await new Promise<void>(resolve => made.listen(0, '127.0.0.1', resolve))
  const { port } = made.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, asked: () => asked }
}

async function warningsOf(variables: Variables): Promise<readonly string[]> {
  const environment = readEnvironment(
    {
      SERVICE_DEV_MODE: 'false',
      AGENT_WALLET_ADDRESS: '0x00000000000000000000000000000000000fa4e0',
      SERVICE_NETWORK: 'eip155:84532',
      FACILITATOR_SECRET: 'fs_sentinel',
      ...variables,
    },
    { keccak256: await loadKeccak() },
  )
  const lines: string[] = []
  const log = createLog({ format: 'text', write: text => lines.push(text), nowMs: systemClock.nowMs })
  await warnOfFacilitator(environment, log)
  log.flush()
  return lines
}

describe('warnings about the facilitator at the start', () => {
  test('there is none when the facilitator supports everything needed', async () => {
    const { url, asked } = await serveSupported(OURS)
    expect(await warningsOf({ FACILITATOR_URL: url })).toEqual([])
    expect(asked()).toBe(1)
  })

  test('D40 a standard facilitator does not bind payments to jobs', async () => {
    const { url } = await serveSupported({ ...OURS, extensions: [] })
    const [warning, ...others] = await warningsOf({
      FACILITATOR_URL: url,
      SERVICE_RPC_URL: 'http://127.0.0.1:1',
    })
    expect(warning).toMatch(
      /does not bind payments to jobs.* a wallet of its own .* FACILITATOR_SECRET="not checked"/,
    )
    expect(others).toEqual([])
  })

  test.each([401, 403])('D11 the facilitator refuses the secret with %i', async status => {
    const { url } = await serveSupported(OURS, status)
    expect(await warningsOf({ FACILITATOR_URL: url })).toEqual([
      expect.stringMatching(
        /^warning: the facilitator refuses FACILITATOR_SECRET; .* answered 401; npx farebox/,
      ),
    ])
  })

  test('a facilitator that cannot check the secret is not reported as refusing it', async () => {
    const { url } = await serveSupported(OURS, 503)
    expect(await warningsOf({ FACILITATOR_URL: url })).toEqual([])
  })

  test('D12 the facilitator does not support the configured network', async () => {
    const { url } = await serveSupported({ ...OURS, kinds: [{ ...KIND, network: 'eip155:1' }] })
    expect(await warningsOf({ FACILITATOR_URL: url })).toEqual([
      `warning: no payments can be accepted; paid requests will be answered 500 reason="the facilitator does not support eip155:84532" at=${url}\n`,
    ])
  })

  test('D9 the chain must be asked, but no node is configured', async () => {
    const { url } = await serveSupported({ ...OURS, extensions: [] })
    const [line] = await warningsOf({ FACILITATOR_URL: url })
    expect(line).toMatch(/^warning: no payments can be accepted; .* reason="SERVICE_RPC_URL is not set: /)
    expect(await warningsOf({ FACILITATOR_URL: url, SERVICE_RPC_URL: 'http://127.0.0.1:1' })).toEqual([
      expect.stringContaining('does not bind payments to jobs'),
    ])
  })

  test('D12 the server does not answer like a facilitator', async () => {
    const { url } = await serveSupported({ hello: 'world' })
    const [line] = await warningsOf({ FACILITATOR_URL: url })
    expect(line).toMatch(
      /^warning: the facilitator does not answer; paid requests will be answered 500 until it does /,
    )
    expect(line).not.toContain('sentinel')
  })

  test.each([{ SERVICE_DEV_MODE: 'true' }, { FACILITATOR_SECRET: '' }])(
    'D11 the facilitator is not asked with %j',
    async variables => {
      const { url, asked } = await serveSupported({})
      expect(await warningsOf({ ...variables, FACILITATOR_URL: url })).toEqual([])
      expect(asked()).toBe(0)
    },
  )
})
