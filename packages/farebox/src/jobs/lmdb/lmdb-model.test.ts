import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Job } from '../job.ts'
import type { JobChange, JobClaim, JobStore } from '../job-store.ts'
import { createMemoryStore } from '../memory-store.ts'
import { running, saved, settled, unpaid } from '../test-setup/job-samples.ts'
import { openLmdbStore } from './lmdb-store.ts'

let scratch: string
beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'farebox-lmdb-model-'))
})
afterAll(() => rm(scratch, { recursive: true, force: true }))

test.each(Array.from({ length: 40 }, (_, at) => at))(
  'D25 a folder opened twice gives the same results as one memory store (seed %d)',
  async seed => {
    const random = createRandom(seed)
    let nowMs = Date.UTC(2030, 0)
    const clock = { boot: 'this run', sinceBootMs: () => nowMs, nowMs: () => nowMs }
    const folder = join(scratch, `${seed}`)
    const openBoth = () => Promise.all([openLmdbStore(folder, clock), openLmdbStore(folder, clock)])
    let handles = await openBoth()
    const memory = createMemoryStore({ nowMs: () => nowMs, after: () => () => {} })
    try {
      for (let at = 0; at < 400; at += 1) {
        const act = chooseAct(random)
        const { store } = handles[random(2)] ?? handles[0]
        expect([at, await act(store)]).toEqual([at, await act(memory)])
        if (random(3) === 0) nowMs += random(60)
        if (random(100) !== 0) continue
        await Promise.all(handles.map(handle => handle.close()))
        handles = await openBoth()
      }
    } finally {
      await Promise.all(handles.map(handle => handle.close()))
    }
  },
)

type Random = (below: number) => number

/** A random call that can be made on any store, with few names, so that calls conflict. */
function chooseAct(random: Random): (store: JobStore) => Promise<unknown> {
  const jobKey = `job ${random(3)}`
  const fence = `fence ${random(3)}`
  const paymentKey = `payment ${random(3)}`
  const pick = <T>(...ones: readonly [T, ...T[]]): T => ones[random(ones.length)] ?? ones[0]
  const ms = (): number => random(100)
  switch (random(10)) {
    case 0:
      return store => store.read(jobKey)
    case 1:
      return async store => (await store.unresolved()).toSorted()
    case 2:
    case 3:
    case 4: {
      const claim: JobClaim = {
        jobKey,
        fence,
        leaseMs: ms(),
        keepMs: ms(),
        job: pick<Job>(running, running, running, unpaid),
        payment: pick<JobClaim['payment']>(undefined, { key: paymentKey, keepMs: ms() }),
      }
      return store => store.claim(claim)
    }
    default: {
      const change: JobChange = pick<JobChange>(
        { kind: 'hold', job: pick<Job>(running, saved), leaseMs: ms(), keepMs: ms() },
        {
          kind: 'leave',
          job: pick<Job>(running, saved, settled, unpaid),
          sealed: pick<boolean>(true, false),
          keepMs: ms(),
        },
        { kind: 'forget' },
        { kind: 'forget', payment: paymentKey },
      )
      return store => store.write({ jobKey, fence }, change)
    }
  }
}

/** The linear congruential generator of Numerical Recipes. */
function createRandom(seed: number): Random {
  let state = seed * 7_919
  return below => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}
