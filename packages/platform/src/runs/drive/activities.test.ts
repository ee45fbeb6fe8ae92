import { expect, test } from 'vitest'
import { createActivities } from './activities.ts'

const never = (): Promise<void> => new Promise(() => {})

test('an agent that never responds leaves capacity for the runs of others that order from it', () => {
  const activities = createActivities(64, 32)
  let begun = 0
  for (let run = 0; run < 200; run += 1)
    if (
      activities.begin(
        { runId: `run ${run}`, payer: `payer ${run}`, startedFrom: undefined, agentId: 1 },
        'price a',
        never,
      )
    )
      begun += 1
  expect(begun).toBeLessThanOrEqual(32)
  expect(
    activities.begin(
      { runId: 'other', payer: 'other', startedFrom: undefined, agentId: 2 },
      'price a',
      never,
    ),
  ).toBe(true)
})

test('a payer with many runs at many agents leaves capacity for the runs of others', () => {
  const activities = createActivities(64, 32)
  for (let run = 0; run < 200; run += 1)
    activities.begin(
      { runId: `run ${run}`, payer: 'one', startedFrom: undefined, agentId: run },
      'price a',
      never,
    )
  expect(activities.size).toBeLessThanOrEqual(32)
  expect(
    activities.begin(
      { runId: 'other', payer: 'other', startedFrom: undefined, agentId: 300 },
      'price a',
      never,
    ),
  ).toBe(true)
})

test('activities that have ended free their capacity', async () => {
  const activities = createActivities(4, 4)
  const of = { runId: 'run', payer: 'one', startedFrom: undefined, agentId: 1 }
  for (let round = 0; round < 20; round += 1) {
    expect(activities.begin(of, `price ${round}`, () => Promise.resolve())).toBe(true)
    await activities.ended()
  }
  expect(activities.size).toBe(0)
  expect(activities.isUnderWay('run')).toBe(false)
})
