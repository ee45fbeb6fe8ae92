import { systemClock } from '@farebox/protocol/time/clock'
import pg from 'pg'
import { describe, expect, test } from 'vitest'
import { groupRequests } from './group-requests.ts'

/** Doubles numbers, and records which were passed together. */
function createDoubler(refuse: (numbers: readonly number[]) => Error | undefined = () => undefined): {
  readonly groups: (readonly number[])[]
  readonly run: (numbers: readonly number[]) => Promise<readonly number[]>
} {
  const groups: (readonly number[])[] = []
  return {
    groups,
    async run(numbers) {
      groups.push(numbers)
      await new Promise(resolve => setImmediate(resolve))
      const error = refuse(numbers)
      if (error !== undefined) throw error
      return numbers.map(number => 2 * number)
    },
  }
}

const upTo = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => index)
const refusal = (): Error => new pg.DatabaseError('value out of range', 0, 'error')

describe('requests in groups', () => {
  test('requests of one moment run together, and each gets its own outcome', async () => {
    const { groups, run } = createDoubler()
    const double = groupRequests(systemClock, run)
    expect(await Promise.all(upTo(80).map(double))).toEqual(upTo(80).map(number => 2 * number))
    expect(groups.map(group => group.length)).toEqual([80])
  })

  test('a request that the database refuses fails alone', async () => {
    const { groups, run } = createDoubler(numbers => (numbers.includes(3) ? refusal() : undefined))
    const double = groupRequests(systemClock, run)
    const outcomes = await Promise.allSettled(upTo(6).map(double))
    expect(outcomes.map(outcome => outcome.status)).toEqual(
      upTo(6).map(number => (number === 3 ? 'rejected' : 'fulfilled')),
    )
    expect(groups.map(group => group.length)).toEqual([6, 1, 1, 1, 1, 1, 1])
  })

  test('a broken connection leaves all outcomes unknown, and no request is repeated', async () => {
    const { groups, run } = createDoubler(() => new Error('Connection terminated unexpectedly'))
    const double = groupRequests(systemClock, run)
    const outcomes = await Promise.allSettled(upTo(5).map(double))
    expect(outcomes.map(outcome => outcome.status)).toEqual(upTo(5).map(() => 'rejected'))
    expect(groups).toHaveLength(1)
    await expect(double(7)).rejects.toThrow('Connection terminated unexpectedly')
  })

  test('with fewer outcomes than requests all are rejected', async () => {
    const double = groupRequests(
      systemClock,
      async (numbers: readonly number[]) => await Promise.resolve(numbers.slice(1)),
    )
    const outcomes = await Promise.allSettled([double(1), double(2)])
    expect(outcomes.map(outcome => outcome.status)).toEqual(['rejected', 'rejected'])
  })
})
