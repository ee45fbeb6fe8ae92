import { spawn } from 'node:child_process'
import { chmod, lstat, mkdir, mkdtemp, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { startChain } from '../chain/start-chain.ts'
import { readProcess } from 'farebox/src/command-line'
import { launch } from '../testing/launch.ts'
import { startPostgres } from './start-postgres.ts'
import type { LocalPostgres } from './start-postgres.ts'

const isRoot = process.getuid?.() === 0
let scratch: string
let folder: string
let started: LocalPostgres[]

beforeEach(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'farebox-postgres-'))
  // Like a usual project folder, which other users may enter.
  await chmod(scratch, 0o755)
  folder = join(scratch, 'database')
  started = []
})
afterEach(async () => {
  await Promise.all(started.map(async postgres => await postgres.stop()))
  await rm(scratch, { recursive: true })
})

describe('the first start', () => {
  test('creates a PostgreSQL 18 database in UTF-8 with fsync on', async () => {
    const postgres = await start()
    expect(await ask(postgres, 'show server_version_num')).toMatch(/^18/)
    expect(await ask(postgres, 'show server_encoding')).toBe('UTF8')
    expect(await ask(postgres, 'show fsync')).toBe('on')
    expect(await ask(postgres, 'show synchronous_commit')).toBe('on')
    expect(await ask(postgres, 'show data_checksums')).toBe('on')
  })

  test('requires the password, and listens on 127.0.0.1 only', async () => {
    const postgres = await start()
    expect(await ask(postgres, 'show listen_addresses')).toBe('127.0.0.1')
    expect(await ask(postgres, 'show unix_socket_directories')).toBe('')
    const url = new URL(postgres.connectionString)
    for (const password of ['', 'wrong', 'farebox']) {
      url.password = password
      await expect(ask({ ...postgres, connectionString: url.href }, 'select 1')).rejects.toThrow(/password/)
    }
  })

  test('makes its files, including the password, unreadable for other users of the machine', async () => {
    await start()
    expect((await stat(join(folder, 'cluster'))).mode & 0o077).toBe(0)
    expect((await stat(join(folder, 'cluster', 'password'))).mode & 0o077).toBe(0)
  })

  test('is repeated by the next start when it was interrupted', async () => {
    const first = await start()
    await first.stop()
    const data = join(folder, 'cluster', 'data')
    await rm(data, { recursive: true })
    await mkdir(`${data}.new`)
    await writeFile(join(`${data}.new`, 'PG_VERSION'), '18\n')
    expect(await ask(await start(), 'select 1 as one')).toBe('1')
  })
})

describe('a later start', () => {
  test('has everything that was committed, under the same password', async () => {
    const first = await start()
    await ask(first, 'create table paid as select 42 as amount')
    await first.stop()
    expect(await readProcess(first.pid)).toBeUndefined()
    const second = await start({ port: first.port })
    expect(second.connectionString).toBe(first.connectionString)
    expect(await ask(second, 'select amount from paid')).toBe('42')
  })

  test('has everything that was committed before a kill -9 of the launcher, which ends the server too', async () => {
    const launcher = await launchPostgres()
    await ask(launcher.ready, 'create table paid as select 43 as amount')
    process.kill(launcher.pid, 'SIGKILL')
    await expect.poll(() => readProcess(launcher.ready.pid)).toBeUndefined()
    const postgres = await start()
    expect(postgres.connectionString.replace(/:\d+\//, '')).toBe(
      launcher.ready.connectionString.replace(/:\d+\//, ''),
    )
    expect(await ask(postgres, 'select amount from paid')).toBe('43')
  })

  test('waits for the old server to end right after kill -9, and starts its own', async () => {
    const launcher = await launchPostgres()
    process.kill(launcher.pid, 'SIGKILL')
    await launcher.exited
    const postgres = await start()
    expect(postgres.pid).not.toBe(launcher.ready.pid)
    expect(await ask(postgres, 'select 1')).toBe('1')
    expect(await readProcess(launcher.ready.pid)).toBeUndefined()
  })

  test('ends the old server when it uses another port, and starts its own', async () => {
    const launcher = await launchPostgres()
    process.kill(launcher.pid, 'SIGKILL')
    await launcher.exited
    const port = launcher.ready.port === 65_000 ? 65_001 : 65_000
    const postgres = await start({ port })
    expect(postgres.port).toBe(port)
    expect(await readProcess(launcher.ready.pid)).toBeUndefined()
  })

  test('recovers the database after the server itself was killed', async () => {
    const first = await start()
    await ask(first, 'create table paid as select 44 as amount')
    process.kill(first.pid, 'SIGKILL')
    await expect.poll(async () => await readProcess(first.pid)).toBeUndefined()
    await first.stop()
    expect(await ask(await start(), 'select amount from paid')).toBe('44')
  })

  test('does not signal an unrelated process with the pid in the lock file', async () => {
    await (await start()).stop()
    const user = isRoot ? { uid: 65534, gid: 65534 } : {}
    const stranger = spawn('sleep', ['60'], user)
    try {
      const lockFile = join(folder, 'cluster', 'data', 'postmaster.pid')
      const rest = `${join(folder, 'cluster', 'data')}\n1\n5432\n\n127.0.0.1\n\nready\n`
      await writeFile(lockFile, `${stranger.pid}\n${rest}`)
      const postgres = await start()
      expect(postgres.pid).not.toBe(stranger.pid)
      expect(await ask(postgres, 'select 1')).toBe('1')
      expect(await readProcess(stranger.pid ?? 0)).toBeDefined()
    } finally {
      stranger.kill('SIGKILL')
    }
  })
})

describe('refused starts', () => {
  test('a port in use, naming the process and the next step', async () => {
    const chain = await startChain()
    try {
      const port = Number(new URL(chain.rpcUrl).port)
      await expect(start({ port })).rejects.toThrow(
        new RegExp(`^Port ${port} is taken by process ${chain.pid} \\(.*anvil.*\\): end it, or start Post`),
      )
    } finally {
      await chain.stop()
    }
  })

  test('a folder that another launcher, or this one, uses', async () => {
    await start()
    await expect(start()).rejects.toThrow(`The database folder ${folder} is in use by process ${process.pid}`)
  })
})

describe.runIf(isRoot)('as root', () => {
  test('the server runs as user 65534', async () => {
    const postgres = await start()
    const status = await readFile(`/proc/${postgres.pid}/status`, 'utf8')
    expect(status).toMatch(/^Uid:\t65534\t65534\t65534\t65534$/m)
    expect(status).toMatch(/^Groups:\s*$/m)
  })

  test('the files go to the system folder when that user cannot enter the chosen one, and a log line says so', async () => {
    const systemFolder = join(scratch, 'system')
    const closed = join(scratch, 'closed')
    await mkdir(closed, { mode: 0o700 })
    folder = join(closed, 'database')
    const log: string[] = []
    const first = await start({ systemFolder, onLog: line => log.push(line) })
    await ask(first, 'create table paid as select 45 as amount')
    await first.stop()
    const [name = ''] = await readdir(systemFolder)
    expect(log).toEqual([
      `the database is in ${join(systemFolder, name)}, ` +
        `because user 65534, who runs it, cannot enter ${folder}`,
    ])
    expect((await lstat(join(folder, 'cluster'))).isSymbolicLink()).toBe(true)
    expect(await ask(await start({ systemFolder }), 'select amount from paid')).toBe('45')
  })

  test('a database whose files went elsewhere and are missing is not silently replaced', async () => {
    const systemFolder = join(scratch, 'system')
    const closed = join(scratch, 'closed')
    await mkdir(closed, { mode: 0o700 })
    folder = join(closed, 'database')
    await (await start({ systemFolder })).stop()
    await rm(systemFolder, { recursive: true })
    await expect(start({ systemFolder })).rejects.toThrow('bring it back, or remove the link to start afresh')
  })
})

async function start(options: Partial<Parameters<typeof startPostgres>[0]> = {}): Promise<LocalPostgres> {
  const postgres = await startPostgres({ folder, cacheFolder: join(scratch, 'cache'), ...options })
  started.push(postgres)
  return postgres
}

async function ask(postgres: Pick<LocalPostgres, 'connectionString'>, query: string): Promise<string> {
  const client = new Client({ connectionString: postgres.connectionString })
  client.on('error', () => undefined)
  await client.connect()
  try {
    const { rows } = await client.query<unknown[]>({ text: query, rowMode: 'array' })
    return String(rows[0]?.[0])
  } finally {
    await client.end()
  }
}

/** A launcher in a separate process that starts the database of `folder` and then only waits. */
async function launchPostgres() {
  const launcher = await launch(`
    import { startPostgres } from '@farebox/local/postgres/start-postgres'
    const { connectionString, port, pid } = await startPostgres({ folder: ${JSON.stringify(folder)} })
    console.log(JSON.stringify({ connectionString, port, pid }))
    await new Promise(() => setInterval(() => undefined, 60_000))
  `)
  // The output of the lines above.
  return { ...launcher, ready: launcher.ready as Pick<LocalPostgres, 'connectionString' | 'port' | 'pid'> }
}
