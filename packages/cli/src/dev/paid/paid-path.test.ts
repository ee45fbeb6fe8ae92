import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { execute } from '@farebox/client/execute'
import { TEST_KEYS } from '@farebox/local/chain/test-keys'
import { startChild } from '@farebox/local/src/processes/child-process'
import { startEconomy } from '@farebox/local/economy'
import { readLocalFile } from '@farebox/local/local-file'
import { launch } from '@farebox/local/src/testing/launch'
import { readPidFile } from '@farebox/local/src/processes/pid-file'
import { fareboxProgram } from '@farebox/local/src/programs'
import { loadEvmCrypto } from '@farebox/payments/crypto/evm-crypto'
import { privateKeySigner } from '@farebox/payments/x402/sign-payment'
import { systemClock } from 'farebox'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createTestWorld } from '../../testing/test-world.ts'
import type { JobEvent } from '../messages/messages.ts'
import { startPaidPath, type PaidPath } from './paid-path.ts'

const AGENT = fileURLToPath(new URL('../../../../../examples/text-statistics/agent.json', import.meta.url))

let folders: string[]
let stops: (() => Promise<unknown>)[]

beforeEach(() => {
  folders = []
  stops = []
})
afterEach(async () => {
  for (const stop of stops.toReversed()) await stop()
  for (const folder of folders) await rm(folder, { recursive: true })
})

async function createFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'farebox-paid-'))
  // PostgreSQL started by root runs as another user, who must be able to read its files.
  await chmod(folder, 0o711)
  folders.push(folder)
  return folder
}

function placeOf(folder: string) {
  return { folder, economyFolder: join(folder, '.farebox'), config: AGENT }
}

async function start(folder: string, options: { wallet?: string; live?: boolean } = {}) {
  const { world, err } = createTestWorld({ folder, live: options.live === true })
  const { err: screen, signal } = world
  const path = await startPaidPath({
    ...placeOf(folder),
    wallet: options.wallet,
    page: undefined,
    screen,
    clock: systemClock,
    signal,
  })
  stops.push(path.stop)
  return { path, err }
}

/** Serves the example as `farebox dev --paid` would, and collects the trace lines of its jobs' events. */
async function serve({ variables, onJobEvent }: PaidPath): Promise<{ url: string; told: string[] }> {
  const told: string[] = []
  const agent = await startChild({
    command: process.execPath,
    arguments: [fareboxProgram(), 'start', '--config', AGENT, '--host', '127.0.0.1', '--port', '0'],
    environment: { PATH: process.env['PATH'] ?? '', SERVICE_LOG: 'json', ...variables },
    readReady: line => /"event":"listening".*"url":"(http:[^"]+)"/.exec(line)?.[1],
    onLine: line => {
      if (!line.includes('"job":')) return
      const { event = '', job = '', time = '', ...fields } = JSON.parse(line) as { [name: string]: string }
      const heard: JobEvent = { event, jobId: job, fields, atMs: Date.parse(time) }
      void Promise.resolve(onJobEvent(heard)).then(lines => told.push(...lines))
    },
  })
  stops.push(() => agent.stop())
  return { url: agent.ready, told }
}

async function pay(url: string, text: string): Promise<unknown> {
  const crypto = await loadEvmCrypto()
  const signer = privateKeySigner(crypto, TEST_KEYS.payer.privateKey)
  return await execute(url, 'count', { text }, { signer, crypto })
}

test('an agent is paid through it, and its job shows where the money went', async () => {
  const folder = await createFolder()
  const { path, err } = await start(folder, { live: true })
  expect(err()).toContain('starting a chain')
  expect(err().endsWith('\r\u001b[2K')).toBe(true)
  // A port of five digits, used when the default one is taken, makes the column wider.
  const heading = path.heading.map(line => line.replaceAll(/\b\d{4,5}\b/g, 'N').replaceAll(/ {4,}/g, '    '))
  expect(heading).toEqual([
    '  chain    http://127.0.0.1:N   eip155:N, on this machine',
    '  facilitator   http://127.0.0.1:N   its ledger in a PostgreSQL beside it',
    '  test wallet   0x3C44…93BC    N.000000 USDC   farebox call pays with it',
    '  paid to    0x15d3…6A65    0.000000 USDC',
  ])
  expect(path.heading.join('\n')).not.toContain(TEST_KEYS.payer.privateKey)
  const { url, told } = await serve(path)
  await path.noteAgent({
    name: 'Text statistics',
    url,
    wallet: TEST_KEYS.agent.address,
    capabilities: ['count'],
  })
  expect(JSON.parse(await readFile(join(folder, '.farebox', 'local.json'), 'utf8'))).toMatchObject({
    chain: { network: 'eip155:84532' },
    agents: [{ url }],
    payer: { address: TEST_KEYS.payer.address },
  })

  await pay(url, 'one two')
  await expect.poll(() => told.length).toBe(5)
  expect(told.join('\n')).toMatch(/verified {3}0\.002000 USDC from 0x3C44…93BC, held/)
  expect(told.at(-2)).toMatch(/^ {4}200 {2}settled {4}0x\w{4}…\w{4} in block \d+ +\d+ ms$/)
  expect(told.at(-1)).toContain('payer 999.998000 USDC (−0.002000)    agent 0.002000 USDC (+0.002000)')

  await expect(pay(url, '')).rejects.toThrow('text')
  await expect.poll(() => told.length).toBe(9)
  expect(told.slice(-2)).toEqual([
    expect.stringMatching(/^ {4}400 {2}refused {4}validation: text: /),
    '                    not charged',
  ])
})

test('two folders have separate payment stacks at the same time', async () => {
  const [first, second] = [await createFolder(), await createFolder()]
  const wallet = TEST_KEYS.secondAgent.address
  const [{ path }, { path: other }] = await Promise.all([start(first), start(second, { wallet })])
  expect(path.variables['FACILITATOR_URL']).not.toBe(other.variables['FACILITATOR_URL'])
  expect(path.variables).toMatchObject({
    SERVICE_DEV_MODE: 'false',
    AGENT_WALLET_ADDRESS: TEST_KEYS.agent.address,
    SERVICE_NETWORK: 'eip155:84532',
    SERVICE_STORE: `lmdb:${join(first, '.farebox', 'jobs')}`,
  })
  expect(other.variables['AGENT_WALLET_ADDRESS']).toBe(wallet)
})

test('an economy that runs in the folder is joined: the agent is paid there, and does not stop it', async () => {
  const folder = await createFolder()
  const economy = await startEconomy({
    folder: join(folder, '.farebox'),
    agents: [],
    chainPort: 0,
    facilitatorPort: 0,
  })
  stops.push(economy.stop)
  const { path } = await start(folder)
  expect(path.variables).toMatchObject({
    FACILITATOR_URL: economy.facilitator.url,
    AGENT_WALLET_ADDRESS: TEST_KEYS.joiningAgent.address,
  })
  expect(path.heading[0]).toMatch(
    new RegExp(`^  joined +\\.farebox +the economy that process ${process.pid} runs$`),
  )
  const { url, told } = await serve(path)
  await path.noteAgent({ name: 'Text', url, wallet: TEST_KEYS.joiningAgent.address, capabilities: ['count'] })
  expect((await readLocalFile(join(folder, '.farebox')))?.agents).toMatchObject([{ url }])
  await pay(url, 'one two')
  await expect.poll(() => told.length).toBe(5)
  await path.stop()
  expect((await readLocalFile(join(folder, '.farebox')))?.agents).toEqual([])
  expect((await fetch(`${economy.facilitator.url}/ready`)).status).toBe(200)
})

test('reports that the economy it joined has ended', async () => {
  const folder = await createFolder()
  const launcher = await launch(`
    import { startEconomy } from '@farebox/local/economy'
    await startEconomy(${JSON.stringify({ folder: join(folder, '.farebox'), agents: [], chainPort: 0, facilitatorPort: 0 })})
    console.log(JSON.stringify({}))
    setInterval(() => {}, 1000)`)
  const { path } = await start(folder)
  process.kill(launcher.pid, 'SIGKILL')
  expect(await path.broken).toMatch(/^process \d+, which ran the economy in .*, has ended: /)
})

test('a later start continues with the same chain and secret', async () => {
  const folder = await createFolder()
  const { path } = await start(folder)
  const { url, told } = await serve(path)
  await pay(url, 'one two')
  await expect.poll(() => told.length).toBe(5)
  for (const stop of stops.splice(0).toReversed()) await stop()
  const { path: next } = await start(folder)
  expect(next.heading.join('\n')).toMatch(/paid to {7}0x15d3…6A65 +0\.002000 USDC/)
  expect(next.variables['FACILITATOR_SECRET']).toBe(path.variables['FACILITATOR_SECRET'])
})

test('names a part that ended by itself, and reports nothing after a requested stop', async () => {
  const folder = await createFolder()
  const { path } = await start(folder)
  const { path: stopped } = await start(await createFolder())
  await stopped.stop()
  const anvil = await readPidFile(join(folder, '.farebox', 'chain', 'anvil.pid'))
  process.kill(anvil?.pid ?? Number.NaN, 'SIGKILL')
  expect(await Promise.race([path.broken, stopped.broken])).toMatch(/^the chain ended unexpectedly: /)
})

test('an invalid wallet address is refused before anything starts', async () => {
  await expect(start(await createFolder(), { wallet: '0x123' })).rejects.toMatchObject({
    name: 'CommandError',
    message: 'AGENT_WALLET_ADDRESS must be an address: 0x and 40 hex digits',
  })
})

test('a start that is interrupted leaves nothing running', async () => {
  const folder = await createFolder()
  const aborter = new AbortController()
  const { world } = createTestWorld({ folder })
  const { err: screen } = world
  const starting = startPaidPath({
    ...placeOf(folder),
    wallet: undefined,
    page: undefined,
    screen,
    clock: systemClock,
    signal: aborter.signal,
  })
  aborter.abort(new Error('enough'))
  await expect(starting).rejects.toThrow('enough')
  // The folder is free again: no process runs in it.
  await start(folder)
})
