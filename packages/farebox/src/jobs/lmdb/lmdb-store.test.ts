import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { statfsSync } from 'node:fs'
import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { Clock } from '@farebox/protocol/time/clock'
import { open } from 'lmdb'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { JobStore, OpenJobStore } from '../job-store.ts'
import { machineClock, type MachineClock } from '../machine-clock.ts'
import { running, saved, settled } from '../test-setup/job-samples.ts'
import { describeJobAccounts } from '../test-setup/job-accounts-contract.ts'
import { describeDurableJobStore } from '../test-setup/job-store-contract.ts'
import { openLmdbClaims } from './lmdb-claims.ts'
import { openLmdbStore } from './lmdb-store.ts'

let scratch: string
let folders = 0
let closing: (() => Promise<void>)[] = []
const childPath = fileURLToPath(new URL('lmdb-store.child.ts', import.meta.url))
beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'farebox-lmdb-'))
})
afterEach(async () => {
  for (const close of closing) await close()
  closing = []
})
afterAll(() => rm(scratch, { recursive: true, force: true }))

/** A folder that does not exist yet, with a dot in its name, as in `.farebox/jobs.d`. */
function newFolder(): string {
  folders += 1
  return join(scratch, `${folders}.d`)
}

const openContract = async () => {
  const folder = newFolder()
  let nowMs = Date.UTC(2030, 0)
  const clock = { boot: 'this run', sinceBootMs: () => nowMs, nowMs: () => nowMs }
  let handles = [await openLmdbStore(folder, clock), await openLmdbStore(folder, clock)] as const
  const close = async (): Promise<void> => {
    for (const handle of handles) await handle.close()
  }
  return {
    store: handles[0].store,
    other: handles[1].store,
    accounts: accountsOf(handles[0]),
    otherAccounts: accountsOf(handles[1]),
    elapse: async (durationMs: number) => {
      nowMs += durationMs
    },
    async reopen() {
      await close()
      handles = [await openLmdbStore(folder, clock), await openLmdbStore(folder, clock)]
      return handles[0].store
    },
    close,
  }
}

describeDurableJobStore('lmdb:', openContract)
describeJobAccounts('lmdb:', openContract)

describe('several processes on one folder (D25)', () => {
  test('D6 each claim only one of the conflicting jobs and payments', async () => {
    const folder = newFolder()
    const rounds = 200
    const rivals = ['left', 'right'].map(name => startChild([folder, 'race', name, String(rounds)]))
    await Promise.all(rivals.map(rival => rival.ready))
    const lines = await Promise.all(rivals.map(rival => rival.work()))
    expect(lines.map(({ length }) => length)).toEqual([rounds, rounds])
    for (let round = 0; round < rounds; round += 1) {
      const outcomes = lines.map(line => line[round]?.split(' '))
      expect(outcomes.map(outcome => outcome?.[0]).sort(), `job ${round}`).toEqual(['claimed', 'held'])
      expect(outcomes.map(outcome => outcome?.[1]).sort(), `payment ${round}`).toEqual([
        'claimed',
        'payment-taken',
      ])
    }
  })

  test('D7 keep every reported record when one is killed with -9, and continue', async () => {
    const folder = newFolder()
    const survivor = await opened(folder)
    const child = startChild([folder, 'save', 'child', '1000', '8'])
    await child.ready
    const reported = await child.work(count => {
      if (count === 200) child.kill()
    })
    expect(reported.length).toBeGreaterThanOrEqual(200)
    const unresolved = new Set(await survivor.store.unresolved())
    expect(reported.filter(jobKey => !unresolved.has(jobKey))).toEqual([])
    const [jobKey = ''] = reported
    expect(await survivor.store.read(jobKey)).toMatchObject({ job: { state: 'saved' }, held: false })
    const payment = { key: `payment of ${jobKey}`, keepMs: 1 }
    expect(await survivor.store.claim({ ...claim, jobKey: 'other', payment })).toEqual({
      kind: 'payment-taken',
    })
    expect(await survivor.store.claim({ ...claim, jobKey })).toMatchObject({ kind: 'claimed' })
  })
})

test('D23 a write of another process is visible at once, in the same turn of the event loop', async () => {
  const folder = newFolder()
  const { store } = await opened(folder)
  expect(await store.read('shared 0')).toBeUndefined()
  // spawnSync blocks this process while the other one runs.
  const [command = '', ...rest] = childCommand([folder, 'race', 'other', '1'])
  const { status } = spawnSync(command, rest, { input: 'go' })
  expect(status).toBe(0)
  expect(await store.read('shared 0')).toMatchObject({ held: true })
})

describe('a folder that cannot be used', () => {
  test('D25 is named in the error at the start, with SERVICE_STORE', async () => {
    const file = join(scratch, 'file')
    await writeFile(file, '')
    const folder = join(file, 'jobs')
    await expect(openLmdbStore(folder, machineClock)).rejects.toThrow(
      `SERVICE_STORE=lmdb:${folder}: this folder cannot be used: ENOTDIR`,
    )
  })

  test.each([1, 8])('D25 is reported to %d writers with a full disk, and loses nothing', async writers => {
    const folder = newFolder()
    // A limit on the size of files simulates a full disk without a separate disk.
    const limited = 'trap "" XFSZ; ulimit -f 8192; exec "$@"'
    const child = startChild([folder, 'save', 'child', '50000', String(writers)], limited)
    await child.ready
    const lines = await child.work()
    expect(child.exitCode()).toBe(0)
    const failures = lines.filter(line => line.startsWith('failed: '))
    expect(failures).toHaveLength(writers)
    expect(lines.filter(line => line.startsWith('next: '))).toHaveLength(writers)
    for (const failure of failures) {
      expect(failure).toMatch(`failed: Error: SERVICE_STORE=lmdb:${folder}: this folder cannot be used: `)
      expect(failure).toMatch(/; is its disk full\?$/)
    }
    const again = await opened(folder)
    const unresolved = new Set(await again.store.unresolved())
    const reported = lines.filter(line => line.startsWith('child '))
    expect(reported.length).toBeGreaterThan(0)
    expect(reported.filter(jobKey => !unresolved.has(jobKey))).toEqual([])
  })
})

describe('a folder of an earlier release', () => {
  const old: readonly (readonly [string, readonly [key: string, row: string][]])[] = [
    ['jobs', [['a', JSON.stringify([1, 'fence', 0, 1, true, settled])]]],
    ['payments', [['p', JSON.stringify([1, 'a', 1])]]],
  ]
  test.each(old)('D25 is refused at the start, before any job runs: %s', async (table, rows) => {
    const folder = newFolder()
    const root = open({ path: folder, noSubdir: false, overlappingSync: false })
    for (const [key, row] of rows)
      root.openDB<string, string>(table, { encoding: 'string' }).putSync(key, row)
    await root.close()
    await expect(openLmdbStore(folder, machineClock)).rejects.toThrow(
      `SERVICE_STORE=lmdb:${folder}: this folder cannot be used: it holds a record that this release cannot read`,
    )
  })
})

test('D7 a job whose key would be too long for lmdb after its charge is refused at its claim', async () => {
  const { store } = await opened(newFolder())
  const outcomes = new Set<string>()
  for (let bytes = 1_880; bytes < 2_000; bytes += 1) {
    const jobKey = 'k'.repeat(bytes)
    const outcome = await store.claim({ ...claim, jobKey }).then(
      ({ kind }) => kind,
      (error: unknown) => String(error).replaceAll(/\d+ bytes/g, 'too many bytes'),
    )
    outcomes.add(outcome)
    if (outcome === 'claimed') await finish(store, jobKey)
  }
  expect([...outcomes]).toEqual(['claimed', expect.stringContaining('the key of a job has too many bytes')])
})

test('D24 a record that was kept longer is not deleted at its first expiry', async () => {
  let nowMs = 0
  const { store } = await opened(newFolder(), { nowMs: () => nowMs })
  const payment = { key: 'p', keepMs: 1_000 }
  await store.claim({ ...claim, jobKey: 'held', leaseMs: 1_000, keepMs: 1_000 })
  await store.claim({ ...claim, jobKey: 'saved', leaseMs: 1_000, keepMs: 1_000 })
  await store.claim({ ...claim, jobKey: 'paid', leaseMs: 500, payment })
  const hold = { kind: 'hold', leaseMs: 1_000_000, keepMs: 1_000_000 } as const
  await store.write({ jobKey: 'held', fence: 'fence' }, { ...hold, job: running })
  await store.write({ jobKey: 'saved', fence: 'fence' }, { ...hold, job: saved })
  nowMs += 600
  await store.claim({ ...claim, jobKey: 'paid', payment: { key: 'p', keepMs: 1_000_000 } })
  nowMs += 100_000
  // Enough writes to cause a sweep.
  for (let at = 0; at < 100; at += 1) await finish(store, `${at}`)
  expect(await store.read('held')).toEqual({ job: running, held: true })
  expect(await store.read('saved')).toEqual({ job: saved, held: true })
  expect(await store.claim({ ...claim, jobKey: 'other', payment })).toEqual({ kind: 'payment-taken' })
})

test('D24 a record that was kept longer is deleted at its later expiry', async () => {
  const folder = newFolder()
  let nowMs = 0
  const { store } = await opened(folder, { nowMs: () => nowMs })
  const sweepAt = async (atMs: number): Promise<void> => {
    nowMs = atMs
    for (let at = 0; at < 100; at += 1) await finish(store, `${atMs} ${at}`)
  }
  const holder = { jobKey: 'long', fence: 'fence' }
  await store.claim({ ...claim, ...holder, leaseMs: 1_000, keepMs: 1_000 })
  await store.write(holder, { kind: 'hold', job: saved, leaseMs: 1_000, keepMs: 1_000 })
  await sweepAt(10_000)
  await store.write(holder, { kind: 'leave', job: settled, sealed: true, keepMs: 20_000 })
  await sweepAt(25_000)
  expect(await store.read('long')).toEqual({ job: settled, held: false })
  await sweepAt(2_000_000)
  const tables = open({ path: folder, noSubdir: false, overlappingSync: false })
  closing.push(() => tables.close())
  expect(tables.openDB<string, string>('jobs', { encoding: 'string' }).get('long')).toBeUndefined()
})

test('D25 a holder that has a folder open twice can overwrite through one store what it wrote through the other', async () => {
  const folder = newFolder()
  const [one, other] = [await opened(folder), await opened(folder)]
  const holder = { jobKey: 'both', fence: 'fence' }
  await one.store.claim({ ...claim, ...holder })
  const hold = { kind: 'hold', leaseMs: 60_000, keepMs: 60_000 } as const
  expect(await other.store.write(holder, { ...hold, leaseMs: 61_000, job: saved })).toBe(true)
  expect(await one.store.write(holder, { ...hold, job: running })).toBe(true)
  // Only the other opening listed the job as unresolved.
  expect(await one.store.write(holder, { kind: 'leave', job: running, sealed: false, keepMs: 1_000 })).toBe(
    true,
  )
  expect(await one.store.unresolved()).toEqual([])
})

describe('claims, which are not flushed', () => {
  const at = (boot: string, nowMs = Date.UTC(2030, 0)): MachineClock => ({
    boot,
    sinceBootMs: () => nowMs,
    nowMs: () => nowMs,
  })
  const holder = { jobKey: 'a', fence: 'fence' }
  const payment = { key: 'p', keepMs: 60_000 }

  test('D25 are lost in a restart of the machine; saved jobs remain, with their payments', async () => {
    const folder = newFolder()
    const before = await openLmdbStore(folder, at('one run'))
    await before.store.claim({ ...claim, jobKey: 'ran', payment: { key: 'not charged', keepMs: 60_000 } })
    await before.store.claim({ ...claim, ...holder, payment })
    await before.store.write(holder, { kind: 'hold', job: saved, leaseMs: 60_000, keepMs: 60_000 })
    await before.close()
    const { store } = await opened(folder, at('another run'))
    expect(await store.read('ran')).toBeUndefined()
    expect(
      await store.claim({ ...claim, jobKey: 'b', payment: { key: 'not charged', keepMs: 1 } }),
    ).toMatchObject({
      kind: 'claimed',
    })
    expect(await store.read('a')).toEqual({ job: saved, held: true })
    expect(await store.claim({ ...claim, jobKey: 'c', payment })).toEqual({ kind: 'payment-taken' })
    expect((await readdir(folder)).filter(name => name.startsWith('claims-'))).toEqual(['claims-another run'])
  })

  test('D25 remain valid when their process is killed with -9', async () => {
    const folder = newFolder()
    const child = startChild([folder, 'race', 'child', '1000000'])
    await child.ready
    const claimed = await child.work(count => {
      if (count === 100) child.kill()
    })
    const { store } = await opened(folder)
    expect(claimed.length).toBeGreaterThanOrEqual(100)
    for (let round = 0; round < claimed.length; round += 1) {
      const jobKey = `shared ${round}`
      expect([jobKey, await store.read(jobKey)]).toEqual([jobKey, { job: running, held: true }])
      expect(await store.claim({ ...claim, jobKey })).toEqual({ kind: 'held' })
      const otherPayment = { key: `payment ${round}`, keepMs: 1 }
      expect(await store.claim({ ...claim, jobKey: 'other', payment: otherPayment })).toEqual({
        kind: 'payment-taken',
      })
    }
  })

  test('D25 are visible through another opening, even when the system does not identify its runs', async () => {
    const folder = newFolder()
    const clock = { ...at(''), boot: undefined }
    const [first, other] = [await opened(folder, clock), await opened(folder, clock)]
    await first.store.claim({ ...claim, ...holder, payment })
    expect(await other.store.read('a')).toEqual({ job: running, held: true })
    expect(await other.store.claim({ ...claim, jobKey: 'b', payment })).toEqual({ kind: 'payment-taken' })
  })

  test('D6 are lost in a restart of the machine without run ids, so that no lease is in the future', async () => {
    const folder = newFolder()
    let [sinceBootMs, nowMs] = [100_000, Date.UTC(2030, 0)]
    const clock = { boot: undefined, sinceBootMs: () => sinceBootMs, nowMs: () => nowMs }
    const before = await openLmdbStore(folder, clock)
    // This write stores the folder's time; the claim an hour later does not.
    await finish(before.store, 'first')
    sinceBootMs += 3_600_000
    nowMs += 3_600_000
    await before.store.claim({ ...claim, ...holder })
    await before.close()
    sinceBootMs = 1_000
    const { store } = await opened(folder, clock)
    expect(await store.read('a')).toBeUndefined()
  })

  test('D24 leave a payment claimed for its failed job after a restart of the machine', async () => {
    const folder = newFolder()
    const before = await openLmdbStore(folder, at('one run'))
    await before.store.claim({ ...claim, ...holder, payment })
    await before.store.write(holder, { kind: 'forget' })
    await before.close()
    const { store } = await opened(folder, at('another run'))
    expect(await store.claim({ ...claim, jobKey: 'b', payment })).toEqual({ kind: 'payment-taken' })
    expect(await store.claim({ ...claim, jobKey: 'a', payment })).toMatchObject({ kind: 'claimed' })
  })

  test('D6 let a new holder see what the last one wrote, or prevent its later writes', async () => {
    const folder = newFolder()
    let nowMs = Date.UTC(2030, 0)
    const clock = { boot: 'one run', sinceBootMs: () => nowMs, nowMs: () => nowMs }
    const [first, other] = [await opened(folder, clock), await opened(folder, clock)]
    const seen = new Set<string>()
    for (let round = 0; round < 100; round += 1) {
      const jobKey = `job ${round}`
      await first.store.claim({ ...claim, jobKey, leaseMs: 10 })
      nowMs += 10
      const write = (): Promise<boolean> =>
        first.store.write(
          { jobKey, fence: 'fence' },
          { kind: 'hold', job: saved, leaseMs: 0, keepMs: 60_000 },
        )
      const take = (): ReturnType<typeof other.store.claim> =>
        other.store.claim({ ...claim, jobKey, fence: 'other' })
      const [written, taken] =
        round % 2 === 0
          ? await Promise.all([write(), take()])
          : await Promise.all([take(), write()]).then(([one, two]) => [two, one] as const)
      expect([jobKey, taken]).toEqual([jobKey, { kind: 'claimed', job: written ? saved : running }])
      expect(await first.store.write({ jobKey, fence: 'fence' }, { kind: 'forget' })).toBe(false)
      seen.add(`${written}`)
    }
    expect([...seen].toSorted()).toEqual(['false', 'true'])
  })

  test('D24 are not valid any more when a process was killed before it removed them', async () => {
    const folder = newFolder()
    const { store } = await opened(folder, at('one run'))
    await store.claim({ ...claim, ...holder, payment })
    await store.write(holder, { kind: 'hold', job: saved, leaseMs: 60_000, keepMs: 60_000 })
    const claims = openLmdbClaims(folder, { name: 'one run', isFlushed: false }, () => new Map())
    closing.push(() => claims.close())
    const forgottenMs = Number.MAX_SAFE_INTEGER
    claims.exclusively(() =>
      claims.putJob('a', {
        fence: 'killed',
        leaseEndsMs: forgottenMs,
        forgottenMs,
        sealed: false,
        job: running,
        payment: 'p',
      }),
    )
    expect(await store.read('a')).toEqual({ job: saved, held: true })
    expect(await store.write(holder, { kind: 'forget', payment: 'p' })).toBe(true)
    expect(await store.claim({ ...claim, ...holder, payment })).toMatchObject({ kind: 'claimed' })
  })

  test('D6 are not removed late when another process claimed and saved the job again with the same payment', async () => {
    const folder = newFolder()
    // One opening delays its cleanup after the transaction is committed.
    const late: (() => void)[] = []
    let goesOn = true
    const runSoon = (work: () => void): void => (goesOn ? queueMicrotask(work) : void late.push(work))
    const first = await opened(folder, at('one run'), { spaceOf: statfsSync, runSoon })
    const other = await opened(folder, at('one run'))
    const hold = { kind: 'hold', job: saved, leaseMs: 60_000, keepMs: 60_000 } as const
    await first.store.claim({ ...claim, ...holder, payment })
    await first.store.write(holder, { kind: 'leave', job: running, sealed: false, keepMs: 60_000 })
    await first.store.claim({ ...claim, ...holder, payment })
    goesOn = false
    expect(await first.store.write(holder, { kind: 'forget', payment: 'p' })).toBe(true)
    goesOn = true
    await other.store.claim({ ...claim, jobKey: 'a', fence: 'other', payment })
    expect(await other.store.write({ jobKey: 'a', fence: 'other' }, hold)).toBe(true)
    expect(late).not.toEqual([])
    for (const run of late) run()
    expect(await other.store.claim({ ...claim, jobKey: 'b', payment })).toEqual({ kind: 'payment-taken' })
  })

  test('D24 use no more space after they are removed', async () => {
    const folder = newFolder()
    const { store } = await opened(folder)
    const sizes: number[] = []
    for (let round = 0; round < 20; round += 1) {
      for (let at = 0; at < 50; at += 1) await finish(store, `${round} ${at}`)
      const [claims = ''] = (await readdir(folder)).filter(name => name.startsWith('claims-'))
      sizes.push((await stat(join(folder, claims, 'data.mdb'))).size)
    }
    expect(sizes.at(-1)).toBe(sizes[4])
  })
})

test('closing writes delayed changes', async () => {
  const folder = newFolder()
  const first = await openLmdbStore(folder, machineClock)
  await first.store.claim({ ...claim, jobKey: 'done' })
  const written = first.store.write(
    { jobKey: 'done', fence: 'fence' },
    { kind: 'leave', job: settled, sealed: true, keepMs: 60_000, mayWait: true },
  )
  await first.close()
  expect(await written).toBe(true)
  expect(await (await opened(folder)).store.read('done')).toEqual({ job: settled, held: false })
})

test('D24 a folder stops growing when as much expires as is claimed', async () => {
  const folder = newFolder()
  let nowMs = 0
  const { store } = await opened(folder, { nowMs: () => nowMs })
  const job = { ...settled, response: 'x'.repeat(20_000) }
  const sizes: number[] = []
  for (let round = 0; round < 20; round += 1) {
    await Promise.all(
      Array.from({ length: 100 }, (_, at) => {
        const jobKey = `${round} ${at}`
        return store.claim({ ...claim, jobKey, job, payment: { key: jobKey, keepMs: 500 } })
      }),
    )
    sizes.push((await stat(join(folder, 'data.mdb'))).size)
    nowMs += claim.leaseMs + claim.keepMs + 1
  }
  expect(sizes.at(-1)).toBe(sizes[9])
})

/** Claims a job and writes its final record. */
async function finish({ claim: claimJob, write }: JobStore, jobKey: string): Promise<void> {
  await claimJob({ ...claim, jobKey, keepMs: 0 })
  await write({ jobKey, fence: 'fence' }, { kind: 'leave', job: settled, sealed: true, keepMs: 0 })
}

const claim = { fence: 'fence', leaseMs: 60_000, keepMs: 60_000, job: running }

async function opened(
  folder: string,
  clock: MachineClock | Pick<Clock, 'nowMs'> = machineClock,
  host?: Parameters<typeof openLmdbStore>[2],
): Promise<OpenJobStore> {
  const store = await openLmdbStore(folder, clock, host)
  closing.push(() => store.close())
  return store
}

interface Child {
  /** Resolves when the process has opened the store. */
  readonly ready: Promise<void>
  /** Starts its work, and resolves to all printed lines when it ends. Calls back with the number of lines so far. */
  work(heard?: (count: number) => void): Promise<string[]>
  kill(): void
  exitCode(): number | null
}

/** Starts `lmdb-store.child.ts`, in the given shell script. */
function startChild(parameters: string[], script = 'exec "$@"'): Child {
  const command = ['-c', script, 'sh', ...childCommand(parameters)]
  const child = spawn('/bin/sh', command, { stdio: ['pipe', 'pipe', 'ignore'] })
  closing.push(async () => {
    child.kill('SIGKILL')
  })
  const ended = once(child, 'close')
  const output = createInterface({ input: child.stdout })
  return {
    ready: once(output, 'line').then(() => {}),
    kill: () => {
      child.kill('SIGKILL')
    },
    exitCode: () => child.exitCode,
    async work(heard = () => {}) {
      const lines: string[] = []
      output.on('line', line => heard(lines.push(line)))
      child.stdin.write('go')
      await ended
      return lines
    },
  }
}

function childCommand(parameters: string[]): string[] {
  return [process.execPath, '--conditions=@farebox/source', '--import', 'tsx', childPath, ...parameters]
}

function accountsOf({ accounts }: OpenJobStore): NonNullable<OpenJobStore['accounts']> {
  if (accounts === undefined) throw new Error('the store has no accounts')
  return accounts
}
