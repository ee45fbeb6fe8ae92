import { expect, test } from 'vitest'
import { availabilityOf, countCheck, type AvailabilityTransition } from './availability.ts'

/** The interface's table: for each number of consecutive failures, the visible state and the notification. */
const TABLE: readonly (readonly [failures: number, seen: string, happens: string])[] = [
  [0, 'online', 'nothing'],
  [1, 'online', 'nothing'],
  [2, 'online', 'nothing'],
  [3, 'online, one badge lower', 'warned'],
  [4, 'online, one badge lower', 'nothing'],
  [5, 'offline, one badge lower', 'offline'],
]
const BEYOND = [6, 'offline, one badge lower', 'nothing'] as const

/** The table's entry for a history of checks; only its last run of failures counts. */
function lookUp(history: readonly boolean[]): { seen: string; happens: string } {
  const failures = history.length - 1 - history.lastIndexOf(true)
  const [, seen, happens] = TABLE[failures] ?? BEYOND
  if (failures > 0 || history.length === 0) return { seen, happens }
  const before = history.slice(0, -1)
  const failedBefore = before.length - 1 - before.lastIndexOf(true)
  return { seen, happens: failedBefore >= 3 ? 'back' : 'nothing' }
}

function run(history: readonly boolean[]): { seen: string; happens: string; failures: number } {
  let failures = 0
  let transition: AvailabilityTransition | undefined
  for (const passed of history) ({ failures, transition } = countCheck(failures, passed))
  const { isOffline, isWarned } = availabilityOf(failures)
  const seen = `${isOffline ? 'offline' : 'online'}${isWarned ? ', one badge lower' : ''}`
  return { seen, happens: transition ?? 'nothing', failures }
}

test('HLT-01 D33 every history of up to twelve checks ends as the table says', () => {
  let histories = 0
  for (let length = 0; length <= 12; length++) {
    for (let bits = 0; bits < 2 ** length; bits++) {
      const history = Array.from({ length }, (_, place) => (bits & (1 << place)) !== 0)
      const { failures, ...found } = run(history)
      expect(found, history.map(passed => (passed ? '+' : '-')).join('')).toEqual(lookUp(history))
      expect(failures).toBe(history.length - 1 - history.lastIndexOf(true))
      histories += 1
    }
  }
  expect(histories).toBe(2 ** 13 - 1)
})

test('HLT-01 the warning and the offline notice are sent once, however long an agent fails', () => {
  let failures = 0
  const told: (AvailabilityTransition | undefined)[] = []
  for (let check = 0; check < 1_000; check++) {
    const counted = countCheck(failures, false)
    failures = counted.failures
    if (counted.transition !== undefined) told.push(counted.transition)
  }
  expect(told).toEqual(['warned', 'offline'])
  expect(countCheck(failures, true)).toEqual({ failures: 0, transition: 'back' })
})
