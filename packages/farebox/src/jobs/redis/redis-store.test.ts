import { execFile, spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inspect, promisify } from 'node:util'
import { Redis } from 'ioredis'
import { findLastingPort } from '@farebox/protocol/src/test-setup/lasting-port'
import { until } from '@farebox/protocol/src/test-setup/until'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { JobClaim, OpenJobStore } from '../job-store.ts'
import { describeJobAccounts } from '../test-setup/job-accounts-contract.ts'
import { describeDurableJobStore } from '../test-setup/job-store-contract.ts'
import { running, saved } from '../test-setup/job-samples.ts'
import { openRedisStore } from './redis-store.ts'

const SERVER = '/usr/bin/redis-server'
const SHARED = 'redis://127.0.0.1:6379/0'

const claim: JobClaim = { jobKey: 'a', fence: 'fence', leaseMs: 60_000, keepMs: 60_000, job: running }

if (await answers(SHARED)) {
  const admin = new Redis(SHARED)
  afterAll(() => admin.quit())

  const open = async () => {
    const prefix = `farebox-test-${randomUUID()}`
    const setting = `${SHARED}?prefix=${prefix}`
    let handles = [await openRedisStore(setting), await openRedisStore(setting)] as const
    const close = async (): Promise<void> => {
      for (const handle of handles) await handle.close()
    }
    return {
      store: handles[0].store,
      other: handles[1].store,
      accounts: accountsOf(handles[0]),
      otherAccounts: accountsOf(handles[1]),
      // The server's clock cannot be set, so the test waits.
      async elapse(durationMs: number) {
        const from = await serverNowMs(admin)
        const passed = async () => (await serverNowMs(admin)) > from + durationMs
        await until(passed)
      },
      async reopen() {
        await close()
        handles = [await openRedisStore(setting), await openRedisStore(setting)]
        return handles[0].store
      },
      async close() {
        await close()
        const keys = await admin.keys(`${prefix}:*`)
        if (keys.length > 0) await admin.del(keys)
      },
    }
  }

  describeDurableJobStore('redis:', open)
  describeJobAccounts('redis:', open)
} else {
  console.log('redis-store: no Redis at 127.0.0.1:6379, so its contract is not tested here')
  test.skip('the contract of the Redis store')
}

if (existsSync(SERVER)) describeOwnServer()
else console.log(`redis-store: no ${SERVER}, so failing servers are not tested here`)

function describeOwnServer(): void {
  describe('redis: on a separate server (D25)', () => {
    let port: number
    let server: ChildProcess
    let admin: Redis
    let opened: OpenJobStore[] = []
    const start = async (...options: string[]): Promise<void> => {
      server = await startServer(port, options)
      admin = new Redis(port)
      admin.on('error', () => {})
    }
    const stop = async (): Promise<void> => {
      admin.disconnect()
      server.kill('SIGKILL')
      await ended(server)
    }
    const open = async (rest = '', login = ''): Promise<OpenJobStore> => {
      const store = await openRedisStore(`redis://${login}127.0.0.1:${port}${rest}`)
      opened.push(store)
      return store
    }
    beforeAll(async () => {
      port = await findLastingPort()
      await start()
    })
    afterEach(async () => {
      for (const store of opened) await store.close()
      opened = []
      await admin.flushall()
    })
    afterAll(stop)

    test('starts its keys with the prefix of the address, or farebox:', async () => {
      const plain = await open()
      const prefixed = await open('/3?prefix=agent-7')
      expect([plain.name, prefixed.name]).toEqual([
        `redis://127.0.0.1:${port}/0`,
        `redis://127.0.0.1:${port}/3?prefix=agent-7`,
      ])
      await plain.store.claim({ ...claim, payment: { key: 'p', keepMs: 60_000 } })
      expect((await admin.keys('*')).sort()).toEqual(['farebox:job:a', 'farebox:payment:p'])
      await prefixed.store.claim(claim)
      await prefixed.store.write(claim, { kind: 'leave', job: saved, sealed: false, keepMs: 60_000 })
      await admin.select(3)
      expect((await admin.keys('*')).sort()).toEqual(['agent-7:job:a', 'agent-7:saved'])
      await admin.select(0)
    })

    test('sets an expiry for every key except those of saved jobs', async () => {
      const { store } = await open()
      await store.claim({ ...claim, payment: { key: 'p', keepMs: 60_000 } })
      for (const key of await admin.keys('*')) expect(await admin.pttl(key), key).toBeGreaterThan(0)
      await store.write(claim, { kind: 'leave', job: saved, sealed: false, keepMs: 60_000 })
      expect(await admin.pttl('farebox:job:a')).toBe(-1)
    })

    test('refuses a server that may evict paid responses, with the fix', async () => {
      await admin.config('SET', 'maxmemory-policy', 'allkeys-lru')
      await expect(open()).rejects.toThrow(
        /^SERVICE_STORE=redis:.* its maxmemory-policy is allkeys-lru, .* set it to noeviction/,
      )
      await admin.config('SET', 'maxmemory-policy', 'noeviction')
      await expect(open()).resolves.toMatchObject({ shared: true })
    })

    test('D25 refuses all commands after the policy was changed, until it is corrected', async () => {
      const { store } = await open()
      await store.claim({ ...claim, jobKey: 'before' })
      await admin.config('SET', 'maxmemory-policy', 'allkeys-lru')
      const refusal = /maxmemory-policy is allkeys-lru, so it may drop paid responses/
      await expect.poll(() => store.read('before').catch(String)).toMatch(refusal)
      await expect(store.claim({ ...claim, jobKey: 'after' })).rejects.toThrow(refusal)
      await admin.config('SET', 'maxmemory-policy', 'noeviction')
      await expect.poll(() => store.read('before')).toBeDefined()
    })

    test('D25 checks the settings after a reconnect before any other command', async () => {
      const { store } = await open()
      await store.claim({ ...claim, jobKey: 'before' })
      await stop()
      await start('--maxmemory-policy', 'allkeys-lru')
      const outcomes: string[] = []
      const read = async (): Promise<string> => {
        outcomes.push(await store.read('before').then(() => 'answered', String))
        return outcomes.at(-1) ?? ''
      }
      await expect.poll(read).toMatch('maxmemory-policy is allkeys-lru')
      expect(outcomes).not.toContain('answered')
      await stop()
      await start()
    })

    test('D25 rejects a claim that no replica has when replicas are required', async () => {
      const { store } = await open('?replicas=1')
      await expect(store.claim({ ...claim, jobKey: 'alone' })).rejects.toThrow(
        /0 of 1 replicas have the last write/,
      )
      const replica = await startServer(await findLastingPort(), ['--replicaof', `127.0.0.1 ${port}`])
      try {
        await expect
          .poll(() => store.claim({ ...claim, jobKey: randomUUID() }))
          .toMatchObject({ kind: 'claimed' })
      } finally {
        replica.kill('SIGKILL')
        await ended(replica)
      }
    })

    test('I5 a saved response is taken back only when the required replicas have that', async () => {
      const [{ store }, { store: replicated }] = [await open(), await open('?replicas=1')]
      await store.claim(claim)
      await store.write(claim, { kind: 'hold', job: saved, leaseMs: 60_000, keepMs: 60_000 })
      await expect(replicated.write(claim, { kind: 'forget' })).rejects.toThrow(
        /0 of 1 replicas have the last write/,
      )
    })

    test('works without permission for CONFIG', async () => {
      await admin.acl('SETUSER', 'agent', 'on', '>p%ss:w@rd', '~farebox:*', '+@all', '-config')
      const { name, store } = await open('', `agent:${encodeURIComponent('p%ss:w@rd')}@`)
      expect(name).toBe(`redis://127.0.0.1:${port}/0`)
      expect(await store.claim(claim)).toMatchObject({ kind: 'claimed' })
    })

    test('refuses a wrong or missing password without showing the right or the wrong one', async () => {
      await admin.config('SET', 'requirepass', 'right-secret')
      const errors = await Promise.all(
        ['', ':wrong-secret@'].map(login =>
          open('', login).then(
            () => undefined,
            (error: unknown) => error,
          ),
        ),
      )
      await admin.config('SET', 'requirepass', '')
      expect(errors.map(String)).toEqual([
        expect.stringMatching(/^Error: SERVICE_STORE=redis:\/\/127.*NOAUTH/),
        expect.stringMatching(/^Error: SERVICE_STORE=redis:\/\/127.*WRONGPASS/),
      ])
      expect(inspect(errors, { depth: 9 })).not.toMatch(/secret/)
    })

    test('rejects what a full memory refuses, and stores nothing of it', async () => {
      const { store } = await open()
      await admin.config('SET', 'maxmemory', '1')
      const refused = await store.claim({ ...claim, payment: { key: 'p', keepMs: 60_000 } }).catch(String)
      await admin.config('SET', 'maxmemory', '0')
      expect(refused).toMatch(/^Error: SERVICE_STORE=redis.*OOM/)
      expect(await admin.keys('*')).toEqual([])
    })

    test('rejects while the server hangs, and works again afterwards', async () => {
      const { store } = await open()
      server.kill('SIGSTOP')
      const refused = await store.claim(claim).catch(String)
      server.kill('SIGCONT')
      expect(refused).toMatch(/^Error: SERVICE_STORE=redis.*timed out/)
      await until(() =>
        store.read('a').then(
          () => true,
          () => false,
        ),
      )
    })

    test('rejects while the server is down, and works with the next one', async () => {
      const { store } = await open()
      await store.claim({ ...claim, jobKey: 'before' })
      await stop()
      expect(await store.claim(claim).catch(String)).toMatch(/^Error: SERVICE_STORE=redis.* cannot be used: /)
      await expect(store.read('before')).rejects.toThrow('SERVICE_STORE')
      await expect(store.unresolved()).rejects.toThrow('SERVICE_STORE')
      await expect(store.write(claim, { kind: 'forget' })).rejects.toThrow('SERVICE_STORE')
      await expect(open()).rejects.toThrow(/ECONNREFUSED/)

      await start()
      await until(() =>
        store.read('a').then(
          () => true,
          () => false,
        ),
      )
      expect(await store.claim(claim)).toEqual({ kind: 'claimed', job: running })
    })

    test('rejects a command whose connection breaks, and does not send it again', async () => {
      const { store } = await open()
      server.kill('SIGSTOP')
      const claiming = store.claim(claim).catch(String)
      server.kill('SIGKILL')
      expect(await claiming).toMatch(/^Error: SERVICE_STORE=redis.*/)
      await ended(server)
      admin.disconnect()
      await start()
      await until(() =>
        store.read('a').then(
          () => true,
          () => false,
        ),
      )
      expect(await store.read('a')).toBeUndefined()
    })

    test('refuses a cluster whose address does not say so', async () => {
      await stop()
      await start('--cluster-enabled', 'yes')
      await expect(open()).rejects.toThrow(/it is a Redis Cluster: add cluster=true/)
      await stop()
      await start()
    })
  })
}

test('SERVICE_STORE without the package ioredis reports how to install it', async () => {
  // A separate process in which the package cannot be found.
  const hooks = `export const resolve = (name, context, next) => {
    if (name !== 'ioredis') return next(name, context)
    throw Object.assign(new Error('Cannot find package'), { code: 'ERR_MODULE_NOT_FOUND' })
  }`
  const storeModule = new URL('redis-store.ts', import.meta.url).href
  const program = `import { register } from 'node:module'
    register(${JSON.stringify(`data:text/javascript,${encodeURIComponent(hooks)}`)})
    const { openRedisStore } = await import(${JSON.stringify(storeModule)})
    await openRedisStore('redis://127.0.0.1:1/0').catch(error => console.log(error.message))`
  const { stdout } = await promisify(execFile)(process.execPath, [
    '--conditions=@farebox/source',
    '--import',
    'tsx',
    '--input-type=module',
    '-e',
    program,
  ])
  expect(stdout).toBe('SERVICE_STORE=redis://… needs the package ioredis: npm install ioredis\n')
})

async function answers(address: string): Promise<boolean> {
  const redis = new Redis(address, { lazyConnect: true, retryStrategy: () => null })
  redis.on('error', () => {})
  return redis
    .connect()
    .then(
      () => true,
      () => false,
    )
    .finally(() => redis.disconnect())
}

/** The server's time in whole milliseconds, as it counts expiry. */
async function serverNowMs(redis: Redis): Promise<number> {
  const [seconds = 0, microseconds = 0] = await redis.time()
  return seconds * 1_000 + Math.floor(microseconds / 1_000)
}

/** Starts a server without persistence; resolves when it answers. */
async function startServer(port: number, options: string[]): Promise<ChildProcess> {
  const folder = await mkdtemp(join(tmpdir(), 'farebox-redis-'))
  const settings = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--dir', folder]
  const server = spawn(SERVER, [...settings, ...options], { stdio: 'ignore' })
  server.once('exit', () => {
    void rm(folder, { recursive: true, force: true })
  })
  await until(() => answers(`redis://127.0.0.1:${port}`))
  // If another server answers on this port, the tests must not delete its data.
  if (server.exitCode !== null) throw new Error(`port ${port} is another's`)
  return server
}

async function ended(server: ChildProcess): Promise<void> {
  if (server.exitCode === null && server.signalCode === null) await once(server, 'exit')
}

function accountsOf({ accounts }: OpenJobStore): NonNullable<OpenJobStore['accounts']> {
  if (accounts === undefined) throw new Error('the store has no accounts')
  return accounts
}
