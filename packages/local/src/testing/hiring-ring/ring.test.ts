import { randomBytes, randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { loadEvmCrypto, type EvmCrypto } from '@farebox/payments/crypto/evm-crypto'
import { privateKeySigner } from '@farebox/payments/x402/sign-payment'
import { formatUsdc } from '@farebox/protocol/money/usdc'
import { Redis } from 'ioredis'
import pg from 'pg'
import { until } from '@farebox/protocol/src/test-setup/until'
import { afterAll, expect, test } from 'vitest'
import { fund } from '../../chain/faucet.ts'
import { startChain, type LocalChain } from '../../chain/start-chain.ts'
import { createFacilitatorSecret } from '../../facilitator-secret.ts'
import { startChild, type RunningChild } from '../../processes/child-process.ts'
import { startFacilitatorProcess } from '../../start-facilitator-process.ts'
import { startBalancer, type Balancer } from './balancer.ts'
import { readTransfers } from './ring-money.ts'
import { orderJob, type RingOutcome } from './ring-payer.ts'

const REDIS = 'redis://127.0.0.1:6379/0'
const DATABASE = process.env['DATABASE_URL'] ?? 'postgres://root@127.0.0.1:5432/test'
const JOBS = Number(process.env['RING_JOBS'] ?? 72)
const AT_ONCE = Number(process.env['RING_AT_ONCE'] ?? 24)
const KILL_EVERY_MS = Number(process.env['RING_KILL_EVERY_MS'] ?? 3_000)
/** Ten replicas in total. */
const REPLICAS = [4, 3, 3]
const PAYERS = 8
/** More than one job in a hundred can lose: its hires are paid for without a result. */
const LOSSES_ATOMIC = 1_000_000n + BigInt(JOBS) * 1_000n

const stops: (() => Promise<unknown>)[] = []
afterAll(async () => {
  for (const stop of stops.toReversed()) await stop().catch(() => undefined)
})

const run = (await isThere()) ? test : undefined
if (run === undefined) {
  console.log(
    'ring: no Redis at 127.0.0.1:6379 or no PostgreSQL at 127.0.0.1:5432, so the ring is not run here',
  )
  test('the ring needs Redis and PostgreSQL, which do not answer here', () => undefined)
}

run?.(
  `${JOBS} jobs in a ring of three agents with ten replicas that are killed: no agent spends more than 90 % of what it earns and its bounded losses, every loop ends, and no child job has a second payment`,
  async () => {
    const ring = await setRing()
    const outcomes: RingOutcome[] = []
    const startedMs = Date.now()
    let isOver = false
    const killing = killReplicas(ring, () => isOver)
    let next = 0
    const order = async (): Promise<void> => {
      for (let job = (next += 1); job <= JOBS; job = next += 1) {
        const { url, wallet } = ring.agents[job % ring.agents.length] ?? failed('no agent')
        const key = ring.payers[job % PAYERS] ?? failed('no payer')
        outcomes.push(await orderJob(ring.crypto, { key, url, wallet }))
      }
    }
    await Promise.all(Array.from({ length: AT_ONCE }, order))
    isOver = true
    const kills = await killing
    // Waits for settlements that were in progress at the last response.
    await sleep(25_000)
    await until(ring.isSettled, 1_000)

    const counts = countBy(outcomes, ({ status, end }) => `${status} ${end}`)
    const depths = countBy(outcomes, ({ hires }) => String(hires))
    const orders = await ring.readOrders()
    const byJob = countBy(orders, line => line.split(' ')[0] ?? '')
    const transfers = await readTransfers(ring.chain)
    const figures = ring.agents.map(({ name, wallet, hiring }) => {
      const sum = (list: typeof transfers) => list.reduce((all, { amountAtomic }) => all + amountAtomic, 0n)
      const spent = transfers.filter(({ from }) => from === hiring)
      const earned = sum(transfers.filter(({ to }) => to === wallet))
      return { name, earned, spent: sum(spent), hires: spent.length }
    })
    const seconds = Math.round((Date.now() - startedMs) / 1_000)
    console.log(
      `ring: ${JOBS} jobs and ${Object.keys(byJob).length} child jobs in ${seconds} s, ${kills} kills; ` +
        `${JSON.stringify(counts)}; hires below a job ${JSON.stringify(depths)}; ` +
        figures
          .map(({ name, earned, spent, hires }) => `${name} earned ${earned} spent ${spent} in ${hires}`)
          .join('; '),
    )
    expect(outcomes).toHaveLength(JOBS)
    expect(counts).not.toHaveProperty('0 no answer')
    expect(outcomes.filter(({ status }) => status === 200).length).toBeGreaterThan(JOBS * 0.6)
    // With the path, a loop ends before it closes; without the path, it ends when the budget is used up.
    expect(Object.keys(counts).some(key => key === '200 loop')).toBe(true)
    expect(Object.keys(counts).some(key => /^200 (?:budget|refused)$/.test(key))).toBe(true)
    expect(Math.max(...outcomes.map(({ hires }) => hires))).toBeLessThanOrEqual(4)
    expect(Object.values(byJob).filter(count => count > 1)).toEqual([])
    for (const { earned, spent, hires } of figures) {
      expect(hires).toBeGreaterThan(0)
      expect(spent * 10n).toBeLessThanOrEqual(earned * 9n + LOSSES_ATOMIC * 10n)
    }
    const paidHires = figures.reduce((all, { hires }) => all + hires, 0)
    expect(paidHires).toBeLessThanOrEqual(Object.keys(byJob).length)
  },
  7_200_000,
)

interface RingAgent {
  readonly name: string
  readonly url: string
  /** The lower-case address. */
  readonly wallet: string
  readonly hiring: string
  readonly balancer: Balancer
  readonly replicas: (RunningChild<number> | undefined)[]
  start(place: number): Promise<void>
}

interface Ring {
  readonly crypto: EvmCrypto
  readonly chain: LocalChain
  readonly agents: readonly RingAgent[]
  readonly payers: readonly string[]
  readOrders(): Promise<readonly string[]>
  /** Resolves when no payment is in progress on the chain. */
  isSettled(): Promise<boolean>
}

async function setRing(): Promise<Ring> {
  const crypto = await loadEvmCrypto()
  const folder = await mkdtemp(join(tmpdir(), 'farebox-ring-'))
  stops.push(() => rm(folder, { recursive: true, force: true }))
  const chain = await startChain()
  stops.push(chain.stop)
  const name = `ring_${randomUUID().slice(0, 8)}`
  stops.push(() => dropSchema(name))
  const facilitator = await startFacilitatorProcess({
    folder,
    chain,
    databaseUrl: DATABASE,
    port: 0,
    environment: { DATABASE_SCHEMA: name, FACILITATOR_REQUESTS_PER_SECOND: '5000' },
  })
  stops.push(facilitator.stop)
  const newKey = (): string => `0x${randomBytes(32).toString('hex')}`
  const addressOf = (key: string): string => privateKeySigner(crypto, key).address.toLowerCase()
  const keys = ['Ada', 'Ben', 'Cleo'].map(agent => ({ agent, wallet: newKey(), hiring: newKey() }))
  const payers = Array.from({ length: PAYERS }, newKey)
  for (const key of [...payers, ...keys.map(({ hiring }) => hiring)])
    await fund(chain, addressOf(key), { usdcAtomic: 1_000_000_000n })
  const wallets = keys.map(({ wallet }) => addressOf(wallet))
  const { secret } = await createFacilitatorSecret(facilitator, { owner: name, wallets })
  const balancers = await Promise.all(keys.map(() => startBalancer()))
  for (const balancer of balancers) stops.push(balancer.close)
  const prefix = name
  const ordersKey = `${name}:orders`
  const redis = new Redis(REDIS)
  stops.push(async () => {
    for await (const found of redis.scanStream({ match: `${name}*`, count: 1_000 }))
      if ((found as string[]).length > 0) await redis.del(found as string[])
    await redis.quit()
  })
  const agents = keys.map((key, at): RingAgent => {
    const balancer = balancers[at] ?? failed('no balancer')
    const nextUrl = balancers[(at + 1) % balancers.length]?.url ?? ''
    const replicas: (RunningChild<number> | undefined)[] = []
    return {
      name: key.agent,
      url: balancer.url,
      wallet: addressOf(key.wallet),
      hiring: addressOf(key.hiring),
      balancer,
      replicas,
      async start(place) {
        const child = await startChild({
          command: process.execPath,
          arguments: [
            '--import',
            'tsx',
            '--conditions=@farebox/source',
            fileURLToPath(new URL('./ring-agent.child.ts', import.meta.url)),
            key.agent,
            nextUrl,
            ordersKey,
          ],
          environment: {
            PATH: process.env['PATH'] ?? '',
            AGENT_WALLET_ADDRESS: addressOf(key.wallet),
            FACILITATOR_SECRET: secret,
            FACILITATOR_URL: facilitator.url,
            SERVICE_DEV_MODE: 'false',
            SERVICE_NETWORK: `eip155:${chain.chainId}`,
            SERVICE_STORE: `${REDIS}?prefix=${prefix}`,
            SERVICE_PUBLIC_URL: balancer.url,
            HIRING_PRIVATE_KEY: key.hiring,
            HIRING_DAILY_BUDGET: '1000',
            HIRING_DAILY_LOSSES: formatUsdc(LOSSES_ATOMIC),
          },
          readReady(line) {
            const [, port] = /"event":"listening","port":(\d+)/.exec(line) ?? []
            return port === undefined ? undefined : Number(port)
          },
        })
        replicas[place] = child
        balancer.ports.add(child.ready)
        void child.exited.then(() => balancer.ports.delete(child.ready))
      },
    }
  })
  stops.push(async () => {
    const alive = agents.flatMap(({ replicas }) => replicas.filter(child => child !== undefined))
    await Promise.all(alive.map(async child => await child.stop(0)))
  })
  for (const [at, agent] of agents.entries())
    for (let place = 0; place < (REPLICAS[at] ?? 0); place += 1) await agent.start(place)
  return {
    crypto,
    chain,
    agents,
    payers,
    readOrders: () => redis.smembers(ordersKey),
    isSettled: () => isSettled(name),
  }
}

/** Kills one replica after the other and starts each again. Resolves to the number of kills. */
async function killReplicas({ agents }: Ring, isOver: () => boolean): Promise<number> {
  let kills = 0
  while (!isOver()) {
    await sleep(KILL_EVERY_MS)
    if (isOver()) break
    const agent = agents[kills % agents.length] ?? failed('no agent')
    const place = Math.floor(kills / agents.length) % agent.replicas.length
    const child = agent.replicas[place]
    if (child === undefined) continue
    process.kill(child.pid, 'SIGKILL')
    await child.exited
    kills += 1
    await agent.start(place)
  }
  return kills
}

function countBy<T>(list: readonly T[], nameOf: (one: T) => string): { readonly [name: string]: number } {
  const counts: { [name: string]: number } = {}
  for (const one of list) counts[nameOf(one)] = (counts[nameOf(one)] ?? 0) + 1
  return counts
}

function failed(why: string): never {
  throw new Error(why)
}

async function isSettled(schema: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: DATABASE })
  await client.connect()
  const underWay = `select 1 from "${schema}".payments where state in ('captured', 'submitted')`
  const { rowCount } = await client.query(underWay)
  await client.end()
  return rowCount === 0
}

async function dropSchema(name: string): Promise<void> {
  const client = new pg.Client({ connectionString: DATABASE })
  await client.connect()
  await client.query(`drop schema if exists "${name}" cascade`)
  await client.end()
}

async function isThere(): Promise<boolean> {
  const client = new pg.Client({ connectionString: DATABASE })
  client.on('error', () => undefined)
  const redis = new Redis(REDIS, { lazyConnect: true, retryStrategy: () => null })
  redis.on('error', () => undefined)
  try {
    await Promise.all([client.connect(), redis.connect()])
    return true
  } catch {
    return false
  } finally {
    await client.end().catch(() => undefined)
    redis.disconnect()
  }
}
