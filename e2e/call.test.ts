import { mkdir, readFile, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fund } from '@farebox/local/chain/faucet'
import { TEST_KEYS } from '@farebox/local/chain/test-keys'
import { usdcBalance } from '@farebox/local/src/chain/top-up'
import { writeLocalFile } from '@farebox/local/local-file'
import type { LocalAgentProcess } from '@farebox/local/src/start-agent-process'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { startLossyProxy } from './stage/proxies/lossy-proxy.ts'
import { transfersTo } from './stage/pay.ts'
import { startCli, type CliRun } from './stage/run-cli.ts'
import { setStage, type Stage } from './stage/stage.ts'

const PASSWORD = 'correct horse battery'
const PRICE = 2_000n

let stage: Stage
let agent: LocalAgentProcess
let folder: string
let home: string
let runs: CliRun[]

beforeAll(async () => {
  stage = await setStage()
  const facilitator = await stage.facilitator()
  const secret = await stage.secret(facilitator, [TEST_KEYS.agent.address])
  agent = await stage.agent({
    config: 'examples/text-statistics/agent.json',
    name: 'called',
    facilitator,
    secret,
    store: 'memory:',
  })
  folder = join(stage.folder, 'caller')
  home = join(folder, 'home')
  await mkdir(join(folder, '.farebox'), { recursive: true })
  const { chain } = stage
  const economy = { chain, rpcUrl: chain.rpcUrl, facilitator, payer: TEST_KEYS.payer }
  await writeLocalFile(join(folder, '.farebox'), economy, [])
})

afterAll(() => stage.strike())

beforeEach(async () => {
  runs = []
  await rm(join(home, 'calls'), { recursive: true, force: true })
})

async function call(
  words: readonly string[],
  environment: { readonly [name: string]: string } = {},
): Promise<CliRun> {
  return await remember(start(words, environment).ended)
}

function start(
  words: readonly string[],
  environment: { readonly [name: string]: string } = {},
): ReturnType<typeof startCli> {
  return startCli(words, { folder, environment: { FAREBOX_HOME: home, ...environment } })
}

async function remember(ended: Promise<CliRun>): Promise<CliRun> {
  const run = await ended
  runs.push(run)
  return run
}

/** Changes since then: one payer's balance, and the transfers to the agent. */
async function watchMoney(): Promise<() => Promise<{ readonly paid: bigint; readonly transfers: number }>> {
  const balance = (): Promise<bigint> => usdcBalance(stage.chain, TEST_KEYS.payer.address)
  const [before, transfersBefore] = [await balance(), await transfersTo(stage, TEST_KEYS.agent.address)]
  return async () => ({
    paid: before - (await balance()),
    transfers: (await transfersTo(stage, TEST_KEYS.agent.address)) - transfersBefore,
  })
}

function expectNoSecrets(headers: readonly string[] = []): void {
  const said = runs.map(({ out, err }) => out + err).join('\n')
  for (const secret of [TEST_KEYS.payer.privateKey.slice(2), PASSWORD, ...headers])
    expect(said).not.toContain(secret)
}

/** The one journalled call. */
async function journal(): Promise<string> {
  const [file = ''] = await readdir(join(home, 'calls'))
  return await readFile(join(home, 'calls', file), 'utf8')
}

const COUNT = ['count', '--text', 'Exact fare, please.', '--max-price', '0.01']

describe('a paid call from the local test wallet', () => {
  test('costs exactly what was shown, and is proven on the chain', async () => {
    const moved = await watchMoney()
    const { code, out, err } = await call(['call', agent.url, ...COUNT])
    expect(err).toContain('price    0.002000 USDC on local chain (eip155:84532)')
    expect(code).toBe(0)
    expect(JSON.parse(out)).toMatchObject({ words: 3, sentences: 1 })
    expect(await moved()).toEqual({ paid: PRICE, transfers: 1 })
    expect(err).toMatch(
      /✓ paid 0\.002000 USDC\n {4}transaction {2}0x[0-9a-f]{64} in block \d+\n {4}balance {6}\d+\.\d{6} USDC/,
    )
    expectNoSecrets()
  })

  test('--json names the transaction, and a refused input is not charged', async () => {
    const moved = await watchMoney()
    const { out } = await call(['call', agent.url, ...COUNT, '--json'])
    expect(JSON.parse(out)).toMatchObject({
      ok: true,
      payment: {
        amount: '0.002',
        network: 'eip155:84532',
        transaction: expect.stringMatching(/^0x[0-9a-f]{64}$/),
      },
    })
    expect(await call(['call', agent.url, 'count', '--text', '', '--max-price', '1'])).toMatchObject({
      code: 2,
    })
    expect(await moved()).toEqual({ paid: PRICE, transfers: 1 })
  })
})

describe('kill -9', () => {
  test.each([
    ['after the call is journalled, before the agent has it', 'request'],
    ['after the agent has done and charged it, before its answer', 'answer'],
  ] as const)('%s: --resume has the answer, paid for once', async (_, what) => {
    const proxy = await startLossyProxy(stage, agent.url)
    const moved = await watchMoney()
    const lost = proxy.lose(what)
    const killed = start(['call', proxy.url, ...COUNT])
    await lost
    killed.kill('SIGKILL')
    expect(await remember(killed.ended)).toMatchObject({ code: null, out: '' })
    expect(await moved()).toEqual(
      what === 'request' ? { paid: 0n, transfers: 0 } : { paid: PRICE, transfers: 1 },
    )
    expect(await journal()).toContain(proxy.payments[0] ?? 'none')

    expect((await call(['call', '--list'])).out).toContain('unresolved')
    const resumed = await call(['call', '--resume'])
    expect(resumed, resumed.err).toMatchObject({ code: 0 })
    expect(JSON.parse(resumed.out)).toMatchObject({ words: 3 })
    expect(resumed.err).toContain('in block')
    expect(new Set(proxy.payments).size).toBe(1)
    expect(await moved()).toEqual({ paid: PRICE, transfers: 1 })
    expect(await journal()).not.toContain(proxy.payments[0] ?? 'none')

    const again = await call(['call', '--resume', resumed.err.match(/job (\S+)/)?.[1] ?? ''])
    expect(again).toMatchObject({ code: 0, out: resumed.out })
    expect(again.err).toContain('already answered, paid in 0x')
    expect(await moved()).toEqual({ paid: PRICE, transfers: 1 })
    expectNoSecrets(proxy.payments)
  })
})

test('Ctrl-C while a request is unanswered prints the known state; --resume pays nothing more', async () => {
  const proxy = await startLossyProxy(stage, agent.url)
  const moved = await watchMoney()
  const lost = proxy.lose('answer')
  const running = start(['call', proxy.url, ...COUNT, '--json'])
  await lost
  running.kill('SIGINT')
  const stopped = await remember(running.ended)
  expect(stopped.code).toBe(3)
  expect(stopped.err).toMatch(
    /may be charged until .*\n {2}ask again, without paying again: npx farebox call --resume [0-9a-f-]{36}/,
  )
  expect(JSON.parse(stopped.out)).toMatchObject({ ok: false, charged: 'unknown', error: { type: 'stopped' } })
  expect(await call(['call', '--resume', '--json'])).toMatchObject({
    code: 0,
    out: expect.stringContaining('"ok":true'),
  })
  expect(await moved()).toEqual({ paid: PRICE, transfers: 1 })
  expectNoSecrets(proxy.payments)
})

test('a wallet of one’s own is created, found empty, funded and spent', async () => {
  const password = { FAREBOX_WALLET_PASSWORD: PASSWORD }
  const rpc = ['--rpc-url', stage.chain.rpcUrl]
  const made = await call(['wallet', 'new', 'mine'], password)
  const address = made.out.trim()
  expect(address).toMatch(/^0x[0-9a-fA-F]{40}$/)
  const empty = await call(['call', agent.url, ...COUNT, '--wallet', 'mine'], password)
  expect(empty).toMatchObject({
    code: 1,
    err: expect.stringContaining('the wallet holds 0 USDC, the job costs 0.002'),
  })

  await fund(stage.chain, address, { usdcAtomic: 5_000n })
  const balance = ['wallet', 'balance', 'mine', '--network', 'eip155:84532', ...rpc]
  expect((await call(balance)).out).toContain('0.005000 USDC')
  const paid = await call(['call', agent.url, ...COUNT, '--wallet', 'mine'], password)
  expect(paid).toMatchObject({ code: 0, err: expect.stringContaining(`from     ${address}  wallet "mine"`) })
  expect((await call(balance)).out).toContain('0.003000 USDC')
  expectNoSecrets()
})
