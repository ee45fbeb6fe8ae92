import { setImmediate as turn } from 'node:timers/promises'
import { createManualClock, type ManualClock } from '@farebox/protocol/src/test-setup/manual-clock'
import { expect, test } from 'vitest'
import { createNotifier } from './notifier.ts'
import { startWorker, type Work, type Worker } from './worker.ts'

interface Row {
  readonly key: string
  readonly id: number
}

interface Stage {
  readonly clock: ManualClock
  readonly worker: Worker<Row>
  /** The rows waiting in the database. */
  readonly waiting: Row[]
  /** The rows in progress, each ended by calling `end`. */
  readonly begun: { readonly row: Row; readonly end: () => void; readonly leave: () => void }[]
  readonly looks: number[]
  readonly renewed: (readonly number[])[]
  readonly failures: unknown[]
  notify(): void
}

/** A worker over rows in memory; each query fails while `isAway` returns true. */
function stage(given: Partial<Work<Row>> = {}, isAway = (): boolean => false): Stage {
  const clock = createManualClock(0)
  const due = createNotifier(clock)
  const waiting: Row[] = []
  const begun: Stage['begun'] = []
  const [looks, renewed, failures]: [number[], (readonly number[])[], unknown[]] = [[], [], []]
  const worker = startWorker<Row>(clock, {
    slots: 8,
    pace: { pollMs: 100, idleMs: 2_000 },
    due,
    keyOf: ({ key }) => key,
    take({ limit, perKey, underWay }) {
      looks.push(clock.nowMs())
      if (isAway()) return Promise.reject(new Error('away'))
      const counts = new Map(underWay)
      const taken = waiting.filter(({ key }) => {
        const count = (counts.get(key) ?? 0) + 1
        if (count <= perKey) counts.set(key, count)
        return count <= perKey
      })
      const rows = taken.slice(0, limit)
      for (const row of rows) waiting.splice(waiting.indexOf(row), 1)
      return Promise.resolve(rows)
    },
    work: (row, { signal, leave }) =>
      new Promise(end => {
        begun.push({ row, end, leave })
        signal.addEventListener('abort', () => end())
      }),
    lease: {
      ms: 6_000,
      renew: rows => Promise.resolve(void renewed.push(rows.map(({ id }) => id))),
    },
    onFailure: error => failures.push(error),
    ...given,
  })
  return { clock, worker, waiting, begun, looks, renewed, failures, notify: () => due.notify() }
}

const rows = (key: string, count: number): Row[] => Array.from({ length: count }, (_, id) => ({ key, id }))

test('the number of rows in progress is limited by the slots, and the next begins as soon as one is free', async () => {
  const { worker, waiting, begun, notify } = stage({ slots: 2 })
  waiting.push(...rows('a', 3))
  notify()
  await turn()
  expect(begun).toHaveLength(2)
  begun[0]?.end()
  await turn()
  expect(begun.map(({ row }) => row.id)).toEqual([0, 1, 2])
  await worker.stop()
})

test('a key has no more than its share, and rows of other keys are taken beside it', async () => {
  const { worker, waiting, begun, notify } = stage({ room: free => ({ limit: free, perKey: 2 }) })
  waiting.push(...rows('many', 5), ...rows('few', 1))
  notify()
  await turn()
  expect(begun.map(({ row }) => row.key)).toEqual(['many', 'many', 'few'])
  await worker.stop()
})

test('a row that leaves its slot early frees it while it is still in progress and renewed', async () => {
  const { clock, worker, waiting, begun, renewed, notify } = stage({ slots: 1 })
  waiting.push({ key: 'a', id: 1 }, { key: 'a', id: 2 })
  notify()
  await turn()
  begun[0]?.leave()
  await turn()
  expect(begun).toHaveLength(2)
  clock.pass(2_000)
  await turn()
  expect(renewed.at(-1)).toEqual([1, 2])
  await worker.stop()
})

test('a new row gets a free slot at once, unless others of its key may be waiting in the database', async () => {
  const { worker, waiting, begun, notify } = stage({ room: free => ({ limit: free, perKey: 2 }) })
  const place = worker.reserve('a')
  place?.begin({ key: 'a', id: 7 })
  await turn()
  expect(begun.map(({ row }) => row.id)).toEqual([7])
  waiting.push(...rows('a', 3))
  notify()
  await turn()
  expect(worker.reserve('a'), 'its share is used').toBeUndefined()
  const other = worker.reserve('b')
  expect(other).toBeDefined()
  other?.release()
  begun[0]?.end()
  expect(worker.reserve('a'), 'others came before').toBeUndefined()
  await worker.stop()
})

test('a key whose share is used up waits for the next query, until a query leaves some', async () => {
  const { worker, begun, notify } = stage({ room: free => ({ limit: free, perKey: 1 }) })
  worker.reserve('a')?.begin({ key: 'a', id: 1 })
  expect(worker.reserve('a')).toBeUndefined()
  await turn()
  begun[0]?.end()
  await turn()
  notify()
  await turn()
  worker.reserve('a')?.release()
  await worker.stop()
  expect(worker.reserve('a'), 'it has ended').toBeUndefined()
})

test('after a query that used all slots, every key may have waiting rows', async () => {
  const { worker, waiting, notify } = stage({ slots: 4, room: free => ({ limit: Math.ceil(free / 2) }) })
  waiting.push(...rows('a', 9))
  notify()
  await turn()
  expect(worker.reserve('b')).toBeUndefined()
  await worker.stop()
})

test('while the database is unavailable it is queried less and less often, each time with a report', async () => {
  let isAway = true
  const { clock, worker, looks, failures } = stage({}, () => isAway)
  for (let second = 0; second < 100; second += 1) {
    await turn()
    clock.pass(100)
  }
  expect(looks.slice(0, 6)).toEqual([0, 100, 300, 700, 1_500, 3_100])
  expect(failures).toHaveLength(looks.length)
  isAway = false
  clock.pass(2_000)
  await turn()
  const [asked, failed] = [looks.length, failures.length]
  clock.pass(2_000)
  await turn()
  expect([looks.length, failures.length]).toEqual([asked + 1, failed])
  await worker.stop()
})

test('work that fails is reported with its row, and its slot is free again', async () => {
  const failed: (Row | undefined)[] = []
  const { worker, waiting, notify } = stage({
    slots: 1,
    work: () => Promise.reject(new Error('broken')),
    onFailure: (_error, row) => failed.push(row),
  })
  waiting.push(...rows('a', 2))
  notify()
  await turn()
  expect(failed.map(row => row?.id)).toEqual([0, 1])
  await worker.stop()
})

test('stopping waits for the work in progress, which is renewed until then', async () => {
  const ends: (() => void)[] = []
  const { clock, worker, waiting, renewed, notify } = stage({
    work: () => new Promise(end => ends.push(end)),
  })
  waiting.push(...rows('a', 1))
  notify()
  await turn()
  let isStopped = false
  const stopping = worker.stop().then(() => (isStopped = true))
  renewed.splice(0)
  clock.pass(2_000)
  await turn()
  expect([isStopped, renewed]).toEqual([false, [[0]]])
  ends[0]?.()
  await stopping
  waiting.push(...rows('a', 1))
  notify()
  await turn()
  expect(ends, 'nothing is begun any more').toHaveLength(1)
})

test('a failed renewal is reported separately from failed leasing, and repeated', async () => {
  const lost: unknown[] = []
  let renewals = 0
  const { clock, waiting, begun, failures, notify } = stage({
    slots: 1,
    lease: {
      ms: 6_000,
      renew() {
        renewals += 1
        return Promise.reject(new Error(`renewal ${renewals}`))
      },
      onFailure: error => lost.push(error),
    },
  })
  waiting.push(...rows('a', 1))
  notify()
  await expect.poll(() => begun.length).toBe(1)
  await expect
    .poll(() => {
      clock.pass(2_000)
      return lost.length
    })
    .toBeGreaterThan(1)
  expect(failures).toEqual([])
})
