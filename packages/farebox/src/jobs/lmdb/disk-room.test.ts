import { spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { appendFileSync, mkdirSync, rmSync } from 'node:fs'
import type * as FileSystem from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { machineClock } from '../machine-clock.ts'
import { running, saved } from '../test-setup/job-samples.ts'
import { openLmdbStore } from './lmdb-store.ts'

/** What the file system says of itself, beside the truth. */
const said = vi.hoisted(() => ({ now: {} as { readonly blocks?: number; readonly bavail?: number } }))
vi.mock('node:fs', async importOriginal => {
  const fs = await importOriginal<typeof FileSystem>()
  return { ...fs, statfsSync: (path: string) => ({ ...fs.statfsSync(path), ...said.now }) }
})

let scratch: string
beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'farebox-room-'))
})
afterAll(() => rm(scratch, { recursive: true, force: true }))

const holder = { jobKey: 'a', fence: 'fence' }
const claim = { fence: 'fence', leaseMs: 60_000, keepMs: 60_000, job: running }
/** A busy machine may pause for longer than the usual second. */
const PATIENTLY = { timeout: 20_000 }
const hold = { kind: 'hold', leaseMs: 60_000, keepMs: 60_000 } as const

/** A disk of 24 MB; undefined where this user may not mount one. */
function mountDisk(): string | undefined {
  const folder = join(scratch, 'disk')
  mkdirSync(folder)
  const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=24m', 'tmpfs', folder])
  return status === 0 ? folder : undefined
}

test('D25 a disk that is full loses nothing, and takes jobs again once there is room', async context => {
  const disk = mountDisk()
  if (disk === undefined) return context.skip('a disk of its own: only root may mount one')
  try {
    const { store, close } = await openLmdbStore(join(disk, 'jobs'), machineClock)
    await store.claim({ ...claim, ...holder })
    await store.claim({ ...claim, jobKey: 'saved', job: running })
    const savedHolder = { ...holder, jobKey: 'saved' }
    expect(await store.write(savedHolder, { ...hold, job: saved })).toBe(true)
    const rest = join(disk, 'rest')
    const fill = (): void => {
      for (;;) appendFileSync(rest, Buffer.alloc(4_096))
    }
    expect(fill).toThrow('ENOSPC')
    for (let at = 0; at < 200; at += 1) {
      await vi.waitFor(
        () =>
          expect(store.claim({ ...claim, jobKey: `new ${at}` })).rejects.toThrow('its disk has less than'),
        PATIENTLY,
      )
      expect(await store.write(holder, { ...hold, job: running })).toBe(true)
    }
    expect(await store.read('saved')).toEqual({ job: saved, held: true })
    rmSync(rest)
    await vi.waitFor(
      () => expect(store.claim({ ...claim, jobKey: 'b' })).resolves.toMatchObject({ kind: 'claimed' }),
      PATIENTLY,
    )
    await close()
  } finally {
    spawnSync('umount', [disk])
  }
})

test('D25 before a disk is full, new jobs are refused; who holds one renews and saves it', async () => {
  const folder = join(scratch, 'full')
  const { store, close } = await openLmdbStore(folder, machineClock)
  await store.claim({ ...claim, ...holder })
  said.now = { bavail: 100 }
  await vi.waitFor(
    () =>
      expect(store.claim({ ...claim, jobKey: randomUUID() })).rejects.toThrow(
        /^SERVICE_STORE=lmdb:.*full: this folder cannot be used: its disk has less than \d+ bytes left$/,
      ),
    PATIENTLY,
  )
  expect(await store.write(holder, { ...hold, job: running })).toBe(true)
  expect(await store.write(holder, { ...hold, leaseMs: 0, job: saved })).toBe(true)
  expect(await store.claim({ ...claim, ...holder, fence: 'other', job: saved })).toMatchObject({
    kind: 'claimed',
  })
  said.now = {}
  await vi.waitFor(
    () => expect(store.claim({ ...claim, jobKey: 'b' })).resolves.toMatchObject({ kind: 'claimed' }),
    PATIENTLY,
  )
  await close()
})

test('D25 a file system that does not say how large it is has room', async () => {
  said.now = { blocks: 0, bavail: 0 }
  const { store, close } = await openLmdbStore(join(scratch, 'unsaid'), machineClock)
  expect(await store.claim({ ...claim, ...holder })).toMatchObject({ kind: 'claimed' })
  await close()
})
