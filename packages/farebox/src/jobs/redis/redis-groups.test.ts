import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { promisify } from 'node:util'
import { until } from '@farebox/protocol/src/test-setup/until'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { JobClaim, OpenJobStore } from '../job-store.ts'
import { describeJobAccounts } from '../test-setup/job-accounts-contract.ts'
import { running, saved } from '../test-setup/job-samples.ts'
import { describeDurableJobStore } from '../test-setup/job-store-contract.ts'
import {
  askOf,
  PRIMARY,
  startRedisCluster,
  startRedisSentinels,
  startSecureRedis,
  type RedisCluster,
  type RedisSentinels,
} from '../test-setup/redis-groups.ts'
import { openRedisStore } from './redis-store.ts'

const isInstalled = existsSync('/usr/bin/redis-server')
if (!isInstalled) console.log('redis-groups: no redis-server here, so clusters and Sentinels are not tested')

const claimOf = (jobKey: string): JobClaim => ({
  jobKey,
  fence: `fence of ${jobKey}`,
  leaseMs: 600_000,
  keepMs: 600_000,
  job: running,
  payment: { key: `payment of ${jobKey}`, keepMs: 600_000 },
})

describe.runIf(isInstalled)('a Redis Cluster of three primaries with replicas (D25)', () => {
  let cluster: RedisCluster
  let prefix: string
  let opened: OpenJobStore[] = []
  const tag = (): string => `{${prefix}}:`
  /** A busy replica answers too late for one write: only the tests that need its copy wait for it, and try again. */
  const open = async (more = ''): Promise<OpenJobStore> => {
    const store = await openRedisStore(`redis://${cluster.servers}/0?cluster=true&prefix=${prefix}${more}`)
    opened.push(store)
    return store
  }
  const closeAll = async (): Promise<void> => {
    for (const store of opened.splice(0)) await store.close()
  }
  beforeAll(async () => {
    cluster = await startRedisCluster()
  })
  beforeEach(() => {
    prefix = `farebox-${randomUUID()}`
  })
  afterEach(closeAll)
  afterAll(() => cluster.stop())

  const fixture = async () => {
    const [store, other] = [await open(), await open()]
    return {
      store: store.store,
      other: other.store,
      accounts: accountsOf(store),
      otherAccounts: accountsOf(other),
      async elapse(durationMs: number) {
        const port = await cluster.primaryOf(tag())
        const now = async () => {
          const [seconds, microseconds] = (await askOf(port, 'TIME')) as readonly string[]
          return Number(seconds) * 1_000 + Number(microseconds) / 1_000
        }
        const fromMs = await now()
        await until(async () => (await now()) > fromMs + durationMs)
      },
      async reopen() {
        await closeAll()
        return (await open()).store
      },
      close: closeAll,
    }
  }
  describeDurableJobStore('redis cluster:', fixture)
  describeJobAccounts('redis cluster:', fixture)

  test('has all keys of an agent in one slot, and refuses an address without cluster=true', async () => {
    const { store } = await open()
    await store.claim(claimOf('a'))
    await store.write(claimOf('a'), { kind: 'leave', job: saved, sealed: false, keepMs: 600_000 })
    const keys = (await askOf(await cluster.primaryOf(tag()), 'KEYS', `${tag()}*`)) as readonly string[]
    expect([...keys].sort()).toEqual([`${tag()}job:a`, `${tag()}payment:payment of a`, `${tag()}saved`])
    await expect(openRedisStore(`redis://127.0.0.1:${cluster.ports[0]}`)).rejects.toThrow(
      'it is a Redis Cluster: add cluster=true',
    )
  })

  test('I1 a claim that was answered before its slot moved is held at the new primary', async () => {
    const { store } = await open()
    const before = await cluster.primaryOf(tag())
    const claims = await claimWhile(store, () => cluster.moveSlotOf(tag()))
    expect(await cluster.primaryOf(tag())).not.toBe(before)
    await until(() =>
      store.read('any').then(
        () => true,
        () => false,
      ),
    )
    const { store: other } = await open()
    for (const jobKey of claims)
      expect((await other.claim({ ...claimOf(jobKey), fence: 'other' })).kind).toBe('held')
  })

  test('I1 a claim that a replica has is held after its primary was killed', async () => {
    const { store } = await open('&replicas=1')
    const killed = await cluster.primaryOf(tag())
    const claims = await claimWhile(store, async () => {
      await cluster.kill(killed)
      await until(() =>
        cluster.primaryOf(tag()).then(
          port => port !== killed,
          () => false,
        ),
      )
    })
    const { store: other } = await until(() => open().catch(() => undefined))
    for (const jobKey of claims)
      expect(['held', 'payment-taken']).toContain(
        (await other.claim({ ...claimOf(jobKey), fence: 'other' })).kind,
      )
  })
})

describe.runIf(isInstalled)('a primary that three Sentinels watch (D25)', () => {
  let sentinels: RedisSentinels
  let opened: OpenJobStore[] = []
  const open = async (parameters = `sentinel=${PRIMARY}&replicas=1`): Promise<OpenJobStore> => {
    const store = await openRedisStore(`redis://${sentinels.servers}/0?${parameters}`)
    opened.push(store)
    return store
  }
  beforeAll(async () => {
    sentinels = await startRedisSentinels()
  })
  afterEach(async () => {
    for (const store of opened.splice(0)) await store.close()
  })
  afterAll(() => sentinels.stop())

  test('a name that no Sentinel knows is refused at the start, with the name', async () => {
    await expect(open('sentinel=other')).rejects.toThrow(
      'no primary was found: the Sentinel knows no primary called other',
    )
  })

  test('of several servers the primary is found', async () => {
    const [first = 0, second = 0] = sentinels.ports
    const store = await openRedisStore(`redis://127.0.0.1:${second},127.0.0.1:${first}/0`)
    opened.push(store)
    expect((await store.store.claim(claimOf('of the list'))).kind).toBe('claimed')
  })

  test('I1 the replica is the primary after the first was killed, with every claim that it had', async () => {
    const { store } = await open()
    const killed = await sentinels.primaryOf()
    const claims = await claimWhile(store, async () => {
      await sentinels.kill(killed)
      await until(async () => (await sentinels.primaryOf()) !== killed)
    })
    const { store: other } = await until(() => open(`sentinel=${PRIMARY}`).catch(() => undefined))
    for (const jobKey of claims)
      expect((await other.claim({ ...claimOf(jobKey), fence: 'other' })).kind).toBe('held')
    await expect.poll(() => store.read('any').catch(String)).toBeUndefined()
  })
})

test.runIf(isInstalled)(
  'TLS with an authority of its own, and a user with the documented rights alone, are enough',
  async () => {
    const server = await startSecureRedis()
    try {
      const program = `const { openRedisStore } = await import(${JSON.stringify(new URL('redis-store.ts', import.meta.url).href)})
      const { store, accounts, close } = await openRedisStore(process.env.STORE)
      const claim = ${JSON.stringify(claimOf('a'))}
      const change = { name: 'n', replaces: 0, text: 't', keepMs: 9000, mostEntries: 9, amount: 1n, mostOfJob: 9n,
        sums: [{ key: 's', most: 9n, keepMs: 9000, untilSettled: true }] }
      console.log((await store.claim(claim)).kind, (await accounts.enter(claim, change)).kind)
      const settled = { version: 1, state: 'settled', payer: '0x', response: '{}', paymentResponse: '' }
      console.log(await store.write(claim, { kind: 'leave', job: settled, sealed: true, keepMs: 9000 }))
      console.log(await store.write(claim, { kind: 'forget' }), await store.unresolved(), await accounts.totals('a', ['s']))
      await close()`
      const words = ['--conditions=@farebox/source', '--import', 'tsx', '--input-type=module', '-e', program]
      const environment = { PATH: process.env['PATH'] ?? '', NODE_EXTRA_CA_CERTS: server.authorityFile }
      const run = promisify(execFile)
      const { stdout } = await run(process.execPath, words, {
        env: { ...environment, STORE: server.setting },
      })
      expect(stdout).toMatch(/^claimed entered\ntrue\ntrue \[\] /)
    } finally {
      await server.stop()
    }
  },
)

/** Claims jobs one after another, before and during the work; resolves to those that were claimed. */
async function claimWhile(
  store: OpenJobStore['store'],
  work: () => Promise<void>,
): Promise<readonly string[]> {
  const claimed: string[] = []
  const state = { isOver: false }
  let working: Promise<void> | undefined
  for (let number = 0; !state.isOver; number += 1) {
    const jobKey = `job ${number}`
    const outcome = await store.claim(claimOf(jobKey)).catch(() => undefined)
    if (outcome?.kind === 'claimed') claimed.push(jobKey)
    else await new Promise(resolve => setTimeout(resolve, 20))
    if (claimed.length === 20) working ??= work().finally(() => (state.isOver = true))
  }
  await working
  return claimed
}

function accountsOf({ accounts }: OpenJobStore): NonNullable<OpenJobStore['accounts']> {
  if (accounts === undefined) throw new Error('the store has no accounts')
  return accounts
}
