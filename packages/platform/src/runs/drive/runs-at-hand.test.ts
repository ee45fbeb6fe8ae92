import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { JobOutcome } from '../../notifier.ts'
import type { RunRow } from '../records/run-row.ts'
import { createRunsAtHand, type RunsAtHand } from './runs-at-hand.ts'

const run = (runId: string, state = '{}'): RunRow => ({ runId, flow: '{}', input: '{}', state }) as RunRow
const outcome = (runId: string, jobId: string): JobOutcome => ({ runId, jobId, body: '{}' })

interface Look {
  readonly runId: string
  readonly outcomes: readonly string[] | undefined
  readonly bodies: readonly (string | undefined)[] | undefined
  end(kept: RunRow | undefined, dueAtMs?: number): void
}

function stage(slots = 4): { atHand: RunsAtHand; looks: Look[]; missed: string[]; clock: { nowMs: number } } {
  const looks: Look[] = []
  const missed: string[] = []
  const clock = { nowMs: 0 }
  const atHand = createRunsAtHand({
    slots,
    nowMs: () => clock.nowMs,
    look: ({ runId }, outcomes) =>
      new Promise(end =>
        looks.push({
          runId,
          outcomes: outcomes?.map(({ jobId }) => jobId),
          bodies: outcomes?.map(({ body }) => body),
          end: (kept, dueAtMs) => end(kept && { run: kept, dueAtMs }),
        }),
      ),
    missed: runId => void missed.push(runId),
    left: () => undefined,
  })
  return { atHand, looks, missed, clock }
}

test('a run that is kept is looked at with what becomes of its jobs, one look at a time', async () => {
  const { atHand, looks } = stage()
  atHand.take(run('a'))
  expect(atHand.tell(outcome('a', 'early'))).toBe(true)
  expect(looks).toHaveLength(1)
  looks[0]?.end(run('a'))
  await turn()
  expect(looks[1]).toMatchObject({ runId: 'a', outcomes: ['early'] })
  atHand.tell(outcome('a', 'second'))
  atHand.tell(outcome('a', 'third'))
  expect(atHand.driven).toEqual(['a'])
  looks[1]?.end(run('a'))
  await turn()
  expect(looks.map(({ outcomes }) => outcomes)).toEqual([undefined, ['early'], ['second', 'third']])
})

test('of a run that was let go nothing is heard any more, and what came too late is told', async () => {
  const { atHand, looks, missed } = stage()
  atHand.take(run('a'))
  atHand.tell(outcome('a', 'late'))
  looks[0]?.end(undefined)
  await turn()
  expect(missed).toEqual(['a'])
  expect(atHand.tell(outcome('a', 'later'))).toBe(false)
  expect(atHand.driven).toEqual([])
})

test('a run that is taken anew while it is kept is known by its new row', async () => {
  const { atHand, looks } = stage()
  atHand.take(run('a'))
  looks[0]?.end(run('a'))
  await turn()
  atHand.take(run('a', '{"changed":true}'))
  expect(looks[1]).toMatchObject({ runId: 'a', outcomes: undefined })
  // While it is looked at, it is not taken a second time.
  atHand.take(run('a'))
  expect(looks).toHaveLength(2)
})

test('what made a run due while a look at it had just begun is looked for after that look', async () => {
  const { atHand, looks } = stage()
  atHand.take(run('a'))
  looks[0]?.end(run('a'))
  await turn()
  // The database has given the run to this process, which began to look at it while the answer was on its way.
  atHand.tell(outcome('a', 'job'))
  atHand.take(run('a'))
  looks[1]?.end(run('a'))
  await turn()
  expect(looks).toHaveLength(3)
  expect(looks[2]?.bodies).toEqual([undefined])
})

test('no more kept runs are looked at than there are slots, the others in their turn', async () => {
  const { atHand, looks } = stage(2)
  for (const id of ['a', 'b', 'c']) atHand.take(run(id))
  for (const look of looks.splice(0)) look.end(run(look.runId))
  await turn()
  for (const id of ['a', 'b', 'c']) atHand.tell(outcome(id, `job of ${id}`))
  expect(looks.map(({ runId }) => runId)).toEqual(['a', 'b'])
  looks[0]?.end(run('a'))
  await turn()
  expect(looks.map(({ runId }) => runId)).toEqual(['a', 'b', 'c'])
})

test('of kept runs that wait for a look, those of other payers have the next turns', async () => {
  const { atHand, looks } = stage(1)
  const of = (payer: string, nth: number): RunRow => ({ ...run(`${payer} ${nth}`), payer })
  const all = [of('many', 1), of('many', 2), of('many', 3), of('few', 1)]
  for (const one of all) atHand.take(one)
  for (const [index, look] of looks.splice(0).entries()) look.end(all[index])
  await turn()
  for (const { runId } of all) atHand.tell(outcome(runId, 'job'))
  for (let nth = 0; nth < all.length; nth += 1) {
    looks[nth]?.end(undefined)
    await turn()
  }
  expect(looks.map(({ runId }) => runId)).toEqual(['many 1', 'many 2', 'few 1', 'many 3'])
})

test('large runs are not kept, nor more than there is memory for', async () => {
  const { atHand, looks } = stage()
  expect(atHand.mayKeep(run('large', 'x'.repeat(200_000)))).toBe(false)
  const state = 'x'.repeat(100_000)
  expect(atHand.mayKeep(run('small', state))).toBe(true)
  for (let nth = 0; nth < 700; nth += 1) atHand.take(run(`run ${nth}`, state))
  expect(atHand.mayKeep(run('small', state))).toBe(false)
  for (const look of looks) look.end(undefined)
  await turn()
  expect(atHand.mayKeep(run('small', state))).toBe(true)
})

test('a run that is kept is known by when its last look wanted the next one', async () => {
  const { atHand, looks } = stage()
  atHand.take(run('a'))
  looks[0]?.end(run('a'), 90_000)
  await turn()
  expect(atHand.keepSince(0).kept).toEqual([{ runId: 'a', dueAtMs: 90_000 }])
})

test('a run of which nothing was heard for long is forgotten, to be looked at afresh', async () => {
  const { atHand, looks, clock } = stage()
  atHand.take(run('old'))
  looks[0]?.end(run('old'))
  await turn()
  clock.nowMs = 60_000
  atHand.take(run('new'))
  expect(atHand.keepSince(30_000)).toEqual({
    kept: [{ runId: 'new', dueAtMs: undefined }],
    forgotten: ['old'],
  })
  expect(atHand.tell(outcome('old', 'job'))).toBe(false)
})
