import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startChain, type LocalChain } from '@farebox/local/chain/start-chain'
import { TEST_KEYS } from '@farebox/local/chain/test-keys'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { runCli } from '../run-cli.ts'
import { serveAgent, withBody, type ServedAgent } from '../testing/served-agent.ts'
import { serveStandIn, type StandInPlatform } from '../testing/stand-in-platform.ts'
import { createTestWorld } from '../testing/test-world.ts'

/** An empty wallet. */
const POOR = { address: '0x19E7E376E7C213B7E7e7e46cc70A5dD086DAff2A', privateKey: `0x${'11'.repeat(32)}` }

let chain: LocalChain
let platform: StandInPlatform
let agent: ServedAgent
let folder: string

beforeAll(async () => {
  chain = await startChain()
})

afterAll(() => chain.stop())

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'farebox-hints-'))
  platform = await serveStandIn(chain)
  platform.confirmingLooks = 0
  agent = await serveAgent({ funded: [] })
})

afterEach(async () => {
  await Promise.all([platform.close(), agent.close()])
  await rm(folder, { recursive: true, force: true })
})

async function run(words: readonly string[], privateKey: string = TEST_KEYS.agent.privateKey) {
  const variables = { FAREBOX_PRIVATE_KEY: privateKey, FAREBOX_PLATFORM: platform.url }
  const { world, out, err } = createTestWorld({ folder, variables })
  const code = await runCli(words, world)
  return { code, out: out(), err: err() }
}

test('a wallet without money on a local chain gets a command that funds it, after which the registration continues', async () => {
  agent.lie = async (path, honest) =>
    path === '/about'
      ? withBody(honest, { ...((await honest.json()) as object), wallet: POOR.address })
      : honest
  const words = ['register', '--endpoint', agent.url, '--wallet', '--rpc-url', chain.rpcUrl]
  const { code, err } = await run(words, POOR.privateKey)
  expect(code).toBe(1)
  expect(err).toContain('holds 0 ETH on the local chain; this takes 0.001 ETH and gas\n')
  expect(err).not.toMatch(/✗.*Base Sepolia/)
  const line = /curl -s (?<url>\S+) -H 'content-type: application\/json' -d '(?<body>[^']+)'/.exec(
    err,
  )?.groups
  const headers = { 'content-type': 'application/json' }
  await fetch(line?.['url'] ?? '', { method: 'POST', headers, body: line?.['body'] ?? '' })
  expect((await run(words, POOR.privateKey)).code).toBe(0)
})

test('an agent listed for another owner is reported as theirs, and is not recorded as ours', async () => {
  const words = ['register', '--endpoint', agent.url, '--wallet', '--rpc-url', chain.rpcUrl]
  expect((await run(words)).code).toBe(0)
  expect((await run(['register', 'status'])).out).toContain(agent.url)
  await rm(folder, { recursive: true })
  folder = await mkdtemp(join(tmpdir(), 'farebox-hints-'))
  const { code, err } = await run(words, POOR.privateKey)
  expect(code).toBe(1)
  expect(err).toMatch(/agent \d+ is listed there already, held by 0x\w{40}, which is not your wallet\n/)
  expect((await run(['register', 'status'], POOR.privateKey)).out).not.toContain(agent.url)
})

test('without a listening server, the command that starts an agent is named', async () => {
  const { url } = agent
  await agent.close()
  agent = await serveAgent({ funded: [] })
  const { err } = await run(['register', '--endpoint', url])
  expect(err).toContain('is it running? farebox start starts it\n')
  expect(err).not.toContain('farebox dev')
})

test('http is refused with the address as typed, including its port', async () => {
  const { err } = await run(['register', '--endpoint', 'http://192.168.1.5:3000'])
  expect(err).toContain('got http://192.168.1.5:3000\n')
})

test('a missing wallet is reported before the agent is called', async () => {
  const words = ['register', '--endpoint', agent.url, '--wallet', 'nobody']
  const { code, err } = await run(words)
  expect(code).toBe(1)
  expect(err).toBe('✗ there is no wallet "nobody"\n  farebox wallet new makes one\n')
  expect(agent.seen).toEqual([])
  expect(JSON.parse((await run([...words, '--json'])).out)).toMatchObject({ ok: false })
})
