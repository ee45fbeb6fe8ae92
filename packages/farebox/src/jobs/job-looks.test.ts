import { describe, expect, test } from 'vitest'
import { createFakeClock } from '../testing/fake-clock.ts'
import { createJobLooks } from './job-looks.ts'
import type { StoredJob } from './job-store.ts'
import { running, saved, settled, unpaid } from './test-setup/job-samples.ts'

/** A store with slow reads of this duration, which are counted. */
function startStore(stored: StoredJob | undefined, tookMs: number) {
  const clock = createFakeClock()
  const state = { stored, reads: 0 }
  const read = async (): Promise<StoredJob | undefined> => {
    state.reads += 1
    const { stored } = state
    await new Promise<void>(resolve => void clock.after(tookMs, resolve))
    return stored
  }
  const looks = createJobLooks({ read }, clock)
  /** Several concurrent reads, with the clock advanced until they end. */
  const look = async (times: number): Promise<readonly (StoredJob | undefined)[]> => {
    const all = Promise.all(Array.from({ length: times }, () => looks.look('job')))
    await clock.advance(2 * tookMs)
    return await all
  }
  return { clock, state, looks, look }
}

describe('IDM-03 a job that requests wait for', () => {
  test.each([
    ['runs', { job: running, held: true }],
    ['is being charged', { job: saved, held: true }],
    ['is settled', { job: settled, held: false }],
  ])('is read once for a thousand concurrent requests while it %s', async (_, stored) => {
    const { state, look } = startStore(stored, 5)
    expect(new Set(await look(1_000))).toEqual(new Set([stored]))
    expect(state.reads).toBe(1)
  })

  test('is read again after ten times the duration of the read', async () => {
    const { clock, state, look } = startStore({ job: saved, held: true }, 5)
    await look(1)
    await clock.advance(40)
    await look(1)
    expect(state.reads).toBe(1)
    await clock.advance(20)
    await look(1)
    expect(state.reads).toBe(2)
  })

  test('is read again at once after this process changed it', async () => {
    const { state, looks, look } = startStore({ job: saved, held: true }, 5)
    await look(1)
    state.stored = { job: settled, held: false }
    looks.forget('job')
    expect(await look(1)).toEqual([state.stored])
  })

  test('is evicted after a few others', async () => {
    const { clock, state, looks, look } = startStore({ job: settled, held: false }, 5)
    await look(1)
    for (const other of ['a', 'b', 'c', 'd']) void looks.look(other)
    await clock.advance(5)
    await look(1)
    expect(state.reads).toBe(6)
  })
})

test.each([
  ['there is none', undefined],
  ['its holder has died', { job: running, held: false }],
  ['it waits for a payment', { job: unpaid, held: false }],
])('a job that may be claimed is read for each request: %s', async (_, stored) => {
  const { state, look } = startStore(stored, 5)
  await look(3)
  expect(state.reads).toBe(3)
  state.stored = { job: settled, held: false }
  expect(await look(1)).toEqual([state.stored])
})

test('a store that failed is asked again', async () => {
  let isUp = false
  const stored = { job: settled, held: false }
  const read = () => (isUp ? Promise.resolve(stored) : Promise.reject(new Error('away')))
  const looks = createJobLooks({ read }, createFakeClock())
  await expect(looks.look('job')).rejects.toThrow('away')
  isUp = true
  expect(await looks.look('job')).toEqual(stored)
})
