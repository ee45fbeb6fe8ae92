import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { JobOutcome } from '../../work/due-work.ts'
import type { RunRow } from '../records/run-row.ts'
import { createActiveRuns, type ActiveRuns } from './active-runs.ts'

const run = (runId: string, state = '{}'): RunRow => ({ runId, flow: '{}', input: '{}', state }) as RunRow
const outcome = (runId: string, jobId: string): JobOutcome => ({ runId, jobId, body: '{}' })

interface Look {
  readonly runId: string
  readonly outcomes: readonly string[] | undefined
  readonly bodies: readonly (string | undefined)[] | undefined
  end(kept: RunRow | undefined, dueAtMs?: number): void
}

function stage(slots = 4): {
  activeRuns: ActiveRuns
  looks: Look[]
  missed: string[]
  clock: { nowMs: number }
} {
  const looks: Look[] = []
  const missed: string[] = []
  const clock = { nowMs: 0 }
  const activeRuns = createActiveRuns({
    slots,
    nowMs: () => clock.nowMs,
    drive: ({ runId }, outcomes) =>
      new Promise(end =>
        looks.push({
          runId,
          outcomes: outcomes?.map(({ jobId }) => jobId),
          bodies: outcomes?.map(({ body }) => body),
          end: (kept, dueAtMs) => end(kept && { run: kept, dueAtMs }),
        }),
      ),
    missed: runId => void missed.push(runId),
  })
  return { activeRuns, looks, missed, clock }
}

test('a kept run is driven with the outcomes of its jobs, one drive at a time', async () => {
  const { activeRuns, looks } = stage()
  void activeRuns.take(run('a'))
  expect(activeRuns.deliver(outcome('a', 'early'))).toBe(true)
  expect(looks).toHaveLength(1)
  looks[0]?.end(run('a'))
  await turn()
  expect(looks[1]).toMatchObject({ runId: 'a', outcomes: ['early'] })
  activeRuns.deliver(outcome('a', 'second'))
  activeRuns.deliver(outcome('a', 'third'))
  expect(activeRuns.driven).toEqual(['a'])
  looks[1]?.end(run('a'))
  await turn()
  expect(looks.map(({ outcomes }) => outcomes)).toEqual([undefined, ['early'], ['second', 'third']])
})

test('a released run accepts no further outcomes, and a late one is reported as missed', async () => {
  const { activeRuns, looks, missed } = stage()
  void activeRuns.take(run('a'))
  activeRuns.deliver(outcome('a', 'late'))
  looks[0]?.end(undefined)
  await turn()
  expect(missed).toEqual(['a'])
  expect(activeRuns.deliver(outcome('a', 'later'))).toBe(false)
  expect(activeRuns.driven).toEqual([])
})

test('a kept run that is leased again is driven from its new row', async () => {
  const { activeRuns, looks } = stage()
  void activeRuns.take(run('a'))
  looks[0]?.end(run('a'))
  await turn()
  void activeRuns.take(run('a', '{"changed":true}'))
  expect(looks[1]).toMatchObject({ runId: 'a', outcomes: undefined })
  // While it is driven, it is not taken a second time.
  void activeRuns.take(run('a'))
  expect(looks).toHaveLength(2)
})

test('a run that becomes due while it is being driven is driven again afterwards', async () => {
  const { activeRuns, looks } = stage()
  void activeRuns.take(run('a'))
  looks[0]?.end(run('a'))
  await turn()
  // The database has leased the run to this process, which began to drive it while the query was still in progress.
  activeRuns.deliver(outcome('a', 'job'))
  void activeRuns.take(run('a'))
  looks[1]?.end(run('a'))
  await turn()
  expect(looks).toHaveLength(3)
  expect(looks[2]?.bodies).toEqual([undefined])
})

test('no more kept runs are driven at a time than there are slots', async () => {
  const { activeRuns, looks } = stage(2)
  for (const id of ['a', 'b', 'c']) void activeRuns.take(run(id))
  for (const look of looks.splice(0)) look.end(run(look.runId))
  await turn()
  for (const id of ['a', 'b', 'c']) activeRuns.deliver(outcome(id, `job of ${id}`))
  expect(looks.map(({ runId }) => runId)).toEqual(['a', 'b'])
  looks[0]?.end(run('a'))
  await turn()
  expect(looks.map(({ runId }) => runId)).toEqual(['a', 'b', 'c'])
})

test('payers take turns when kept runs wait to be driven', async () => {
  const { activeRuns, looks } = stage(1)
  const of = (payer: string, nth: number): RunRow => ({ ...run(`${payer} ${nth}`), payer })
  const all = [of('many', 1), of('many', 2), of('many', 3), of('few', 1)]
  for (const one of all) void activeRuns.take(one)
  for (const [index, look] of looks.splice(0).entries()) look.end(all[index])
  await turn()
  for (const { runId } of all) activeRuns.deliver(outcome(runId, 'job'))
  for (let nth = 0; nth < all.length; nth += 1) {
    looks[nth]?.end(undefined)
    await turn()
  }
  expect(looks.map(({ runId }) => runId)).toEqual(['many 1', 'many 2', 'few 1', 'many 3'])
})

test('large runs are not kept, nor more runs than fit in memory', async () => {
  const { activeRuns, looks } = stage()
  expect(activeRuns.mayKeep(run('large', 'x'.repeat(200_000)))).toBe(false)
  const state = 'x'.repeat(100_000)
  expect(activeRuns.mayKeep(run('small', state))).toBe(true)
  for (let nth = 0; nth < 700; nth += 1) void activeRuns.take(run(`run ${nth}`, state))
  expect(activeRuns.mayKeep(run('small', state))).toBe(false)
  for (const look of looks) look.end(undefined)
  await turn()
  expect(activeRuns.mayKeep(run('small', state))).toBe(true)
})

test('a kept run reports when it is due', async () => {
  const { activeRuns, looks } = stage()
  void activeRuns.take(run('a'))
  looks[0]?.end(run('a'), 90_000)
  await turn()
  expect(activeRuns.keepSince(0).kept).toEqual([{ runId: 'a', dueAtMs: 90_000 }])
})

test('a kept run without outcomes for a long time is dropped, so that it is driven from the database', async () => {
  const { activeRuns, looks, clock } = stage()
  void activeRuns.take(run('old'))
  looks[0]?.end(run('old'))
  await turn()
  clock.nowMs = 60_000
  void activeRuns.take(run('new'))
  expect(activeRuns.keepSince(30_000)).toEqual({
    kept: [{ runId: 'new', dueAtMs: undefined }],
    forgotten: ['old'],
  })
  expect(activeRuns.deliver(outcome('old', 'job'))).toBe(false)
})
