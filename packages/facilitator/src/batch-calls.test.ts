import { createManualClock } from '@farebox/protocol/src/test-setup/manual-clock'
import type { Clock } from '@farebox/protocol/time/clock'
import { describe, expect, test } from 'vitest'
import { batchCalls } from './batch-calls.ts'

/** Time that advances only when a test advances it. */
function createStillClock(): { readonly clock: Clock; pass(ms: number): Promise<void> } {
  const clock = createManualClock(0)
  const settle = async (): Promise<void> => {
    for (let turn = 0; turn < 10; turn += 1) await Promise.resolve()
  }
  return {
    clock,
    async pass(ms) {
      await settle()
      clock.pass(ms)
      await settle()
    },
  }
}

/** Work that runs until a test ends it. */
function createWork(): {
  readonly groups: (readonly number[])[]
  readonly run: (group: readonly number[]) => Promise<void>
  end(): void
} {
  const groups: (readonly number[])[] = []
  const running: (() => void)[] = []
  return {
    groups,
    run(group) {
      groups.push(group)
      return new Promise(resolve => running.push(resolve))
    },
    end: () => running.shift()?.(),
  }
}

describe('batching', () => {
  test('a single entry runs at once; entries that arrive meanwhile run together', async () => {
    const { clock, pass } = createStillClock()
    const { groups, run, end } = createWork()
    const add = batchCalls(clock, { atMost: 10, inFlight: 3 }, run)
    add([1])
    expect(groups).toEqual([[1]])
    add([2])
    add([3, 4])
    expect(groups).toEqual([[1]])
    end()
    await pass(0)
    expect(groups).toEqual([[1], [2, 3, 4]])
  })

  test('no entry waits long for a slow group, up to the limit of groups', async () => {
    const { clock, pass } = createStillClock()
    const { groups, run, end } = createWork()
    const add = batchCalls(clock, { atMost: 10, inFlight: 2 }, run)
    add([1])
    add([2])
    add([3])
    await pass(4)
    expect(groups).toEqual([[1]])
    await pass(1)
    expect(groups).toEqual([[1], [2, 3]])
    add([4])
    await pass(60_000)
    expect(groups).toEqual([[1], [2, 3]])
    end()
    await pass(5)
    expect(groups).toEqual([[1], [2, 3], [4]])
  })

  test('a full group starts without waiting, and the remaining entries run with the next', async () => {
    const { clock, pass } = createStillClock()
    const { groups, run } = createWork()
    const add = batchCalls(clock, { atMost: 2, inFlight: 2 }, run)
    add([1, 2, 3, 4, 5])
    expect(groups).toEqual([
      [1, 2],
      [3, 4],
    ])
    await pass(5)
    expect(groups).toHaveLength(2)
  })

  test('there is a pause after a group of several, and none after a single entry', async () => {
    const { clock, pass } = createStillClock()
    const { groups, run, end } = createWork()
    const add = batchCalls(clock, { atMost: 10, inFlight: 1 }, run)
    add([1, 2])
    end()
    await pass(0)
    add([3])
    expect(groups).toEqual([[1, 2]])
    await pass(2)
    expect(groups).toEqual([[1, 2], [3]])
    end()
    await pass(0)
    add([4])
    expect(groups).toEqual([[1, 2], [3], [4]])
  })
})
