import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '@farebox/protocol/time/clock'
import { expect, test } from 'vitest'
import { openJobStore } from './open-job-store.ts'

test('D25 opens memory: for one process', async () => {
  const opened = await openJobStore('memory:', systemClock)
  expect(opened).toMatchObject({ name: 'memory:', shared: false })
  expect(await opened.store.read('a')).toBeUndefined()
  await opened.close()
})

test('D25 opens lmdb:<folder>, which it creates, for several processes', async () => {
  const scratch = await mkdtemp(join(tmpdir(), 'farebox-store-'))
  const folder = join(scratch, 'deep', 'jobs')
  const opened = await openJobStore(`lmdb:${folder}`, systemClock)
  expect(opened).toMatchObject({ name: `lmdb:${folder}`, shared: true })
  expect(existsSync(folder)).toBe(true)
  await opened.close()
  await rm(scratch, { recursive: true })
})

test.each(['redis://:secret@127.0.0.1:1/0', 'rediss://:secret@127.0.0.1:1/0'])(
  'D25 connects to %s, and reports without the password that no server answers',
  async setting => {
    const opening = openJobStore(setting, systemClock)
    await expect(opening).rejects.toThrow(
      /^SERVICE_STORE=rediss?:\/\/127\.0\.0\.1:1\/0 cannot be used: .*ECONNREFUSED/,
    )
    await expect(opening).rejects.not.toThrow(/secret/)
  },
)

test.each(['', 'memory', 'lmdb:', 'lmdb://var/jobs', 'postgres://me:secret@db/jobs', 'redis:6379', 'secret'])(
  'D25 refuses SERVICE_STORE=%s with the valid forms, without repeating it',
  async setting => {
    const opening = openJobStore(setting, systemClock)
    await expect(opening).rejects.toThrow(/^SERVICE_STORE: must be memory:, lmdb:<folder> or redis:\/\//)
    await expect(opening).rejects.not.toThrow(/secret/)
  },
)
