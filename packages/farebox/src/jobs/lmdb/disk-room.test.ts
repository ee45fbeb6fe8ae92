import { spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { appendFileSync, mkdirSync, rmSync, statfsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { machineClock } from '../machine-clock.ts'
import { running, saved } from '../test-setup/job-samples.ts'
import type { JobStore } from '../job-store.ts'
import type { DiskSpace } from './disk-room.ts'
import { openLmdbStore } from './lmdb-store.ts'

let scratch: string
beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'farebox-room-'))
})
afterAll(() => rm(scratch, { recursive: true, force: true }))

const holder = { jobKey: 'a', fence: 'fence' }
const claim = { fence: 'fence', leaseMs: 60_000, keepMs: 60_000, job: running }
const hold = { kind: 'hold', leaseMs: 60_000, keepMs: 60_000 } as const

/** The outcome of claiming a new job, or the error of the store as a text. */
async function claimNew(store: JobStore): Promise<string> {
  return await store.claim({ ...claim, jobKey: randomUUID() }).then(({ kind }) => kind, String)
}

/** Mounts a disk of 24 MB; undefined when this user may not mount one. */
function mountDisk(): string | undefined {
  const folder = join(scratch, 'disk')
  mkdirSync(folder)
  const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=24m', 'tmpfs', folder])
  return status === 0 ? folder : undefined
}

test('D25 a full disk loses nothing, and jobs are accepted again when there is space', async context => {
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
      await expect.poll(() => claimNew(store)).toContain('its disk has less than')
      expect(await store.write(holder, { ...hold, job: running })).toBe(true)
    }
    expect(await store.read('saved')).toEqual({ job: saved, held: true })
    rmSync(rest)
    await expect.poll(() => claimNew(store)).toBe('claimed')
    await close()
  } finally {
    spawnSync('umount', [disk])
  }
})

test('D25 when the disk is nearly full, new jobs are refused, but a held job is still renewed and saved', async () => {
  const folder = join(scratch, 'full')
  let isFull = false
  const spaceOf = (path: string): DiskSpace => ({ ...statfsSync(path), ...(isFull && { bavail: 100 }) })
  const { store, close } = await openLmdbStore(folder, machineClock, { spaceOf, runSoon: queueMicrotask })
  await store.claim({ ...claim, ...holder })
  isFull = true
  await expect
    .poll(() => claimNew(store))
    .toMatch(/SERVICE_STORE=lmdb:.*full: this folder cannot be used: its disk has less than \d+ bytes left$/)
  expect(await store.write(holder, { ...hold, job: running })).toBe(true)
  expect(await store.write(holder, { ...hold, leaseMs: 0, job: saved })).toBe(true)
  expect(await store.claim({ ...claim, ...holder, fence: 'other', job: saved })).toMatchObject({
    kind: 'claimed',
  })
  isFull = false
  await expect.poll(() => claimNew(store)).toBe('claimed')
  await close()
})

test('D25 a file system that does not report its size accepts jobs', async () => {
  const spaceOf = (): DiskSpace => ({ blocks: 0, bavail: 0, bsize: 0 })
  const { store, close } = await openLmdbStore(join(scratch, 'unsaid'), machineClock, {
    spaceOf,
    runSoon: queueMicrotask,
  })
  expect(await store.claim({ ...claim, ...holder })).toMatchObject({ kind: 'claimed' })
  await close()
})
