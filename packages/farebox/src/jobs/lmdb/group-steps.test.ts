import { describe, expect, test } from 'vitest'
import { groupSteps, type StepGroups } from './group-steps.ts'

/** Transactions that take one turn of the event loop; `sizes` has the number of steps in each. */
function createGroups(refuse: (transaction: number) => boolean = () => false): {
  readonly groups: StepGroups
  readonly sizes: number[]
  readonly step: (number: number) => () => number
} {
  const sizes: number[] = []
  let steps = 0
  return {
    sizes,
    groups: groupSteps(async run => {
      steps = 0
      run()
      sizes.push(steps)
      await new Promise(resolve => setImmediate(resolve))
      if (refuse(sizes.length)) throw new Error('the disk is full')
    }),
    step: number => () => {
      steps += 1
      if (number < 0) throw new Error(`no ${number}`)
      return number
    },
  }
}

/** Some turns of the event loop, which take far less time than a pause. */
async function someTurns(): Promise<void> {
  for (let turn = 0; turn < 6; turn += 1) await new Promise(resolve => setImmediate(resolve))
}

describe('steps in groups', () => {
  test('concurrent steps share a transaction, and later ones go into the next', async () => {
    const { groups, sizes, step } = createGroups()
    const first = [1, 2, 3].map(number => groups.run(step(number)))
    expect(await Promise.all([...first, ...[4, 5].map(number => groups.run(step(number)))])).toEqual([
      1, 2, 3, 4, 5,
    ])
    expect(sizes).toEqual([5])
    const one = groups.run(step(6))
    await new Promise(resolve => setImmediate(resolve))
    const others = [7, 8].map(number => groups.run(step(number)))
    expect(await Promise.all([one, ...others])).toEqual([6, 7, 8])
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(8)
  })

  test('only the step that throws fails', async () => {
    const { groups, step } = createGroups()
    const outcomes = await Promise.allSettled([1, -2, 3].map(number => groups.run(step(number))))
    expect(outcomes.map(outcome => outcome.status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  })

  test('every step rejects when its transaction was not committed, and the next one works', async () => {
    const { groups, step } = createGroups(transaction => transaction === 1)
    const outcomes = await Promise.allSettled([1, 2].map(number => groups.run(step(number))))
    expect(outcomes.map(outcome => outcome.status)).toEqual(['rejected', 'rejected'])
    expect(await groups.run(step(3))).toBe(3)
  })

  test('a step that can wait runs with the next one that cannot', async () => {
    const { groups, sizes, step } = createGroups()
    const waiting = groups.run(step(1), { mayWait: true })
    await someTurns()
    expect(sizes).toEqual([])
    expect(await Promise.all([waiting, groups.run(step(2))])).toEqual([1, 2])
    expect(sizes).toEqual([2])
  })

  test('a single caller is not delayed when its last step waits for its next one', async () => {
    const { groups, sizes, step } = createGroups()
    void groups.run(step(1), { mayWait: true })
    await groups.run(step(2))
    void groups.run(step(3))
    await someTurns()
    expect(sizes).toEqual([2, 1])
  })

  test('a step that can wait runs alone after some milliseconds, each time', async () => {
    const { groups, sizes, step } = createGroups()
    expect(await groups.run(step(1), { mayWait: true })).toBe(1)
    expect(await groups.run(step(2), { mayWait: true })).toBe(2)
    expect(sizes).toEqual([1, 1])
  })

  test('rest runs delayed steps at once', async () => {
    const { groups, step } = createGroups()
    const told: number[] = []
    void groups.run(step(1), { mayWait: true }).then(value => told.push(value))
    void groups.rest()
    await someTurns()
    expect(told).toEqual([1])
  })

  test('rest resolves when all steps have ended', async () => {
    const { groups, step } = createGroups()
    const told: number[] = []
    for (const number of [1, 2]) void groups.run(step(number)).then(value => told.push(value))
    await groups.rest()
    expect(told).toEqual([1, 2])
    await groups.rest()
  })
})
