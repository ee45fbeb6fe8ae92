import { systemClock } from '@farebox/protocol/time/clock'
import { silentLog, type LogFields } from '@farebox/server/log'
import { beforeEach, expect, test } from 'vitest'
import { createAnnounceBudget, nearBudget, type AnnounceBudget } from './announce-budget.ts'

const EIGHT = Date.UTC(2027, 0, 15, 8)
const CALLER = { id: '1', owner: 'owner', wallets: [] }

let nowMs: number
let lines: (LogFields & { readonly event: string })[]
let announce: AnnounceBudget

beforeEach(() => {
  nowMs = EIGHT
  lines = []
  announce = createAnnounceBudget({
    clock: { ...systemClock, nowMs: () => nowMs },
    log: { ...silentLog, warn: (event, fields) => lines.push({ event, ...fields }) },
  })
})

function held(used: number, limit: number): void {
  announce(CALLER, { kind: 'held', holdId: '', holdUntil: 0, budget: { used, limit } })
}

test("D41 the log reports once that four fifths of a limit are used, and when it will be used up at today's pace", () => {
  held(79, 100)
  expect(lines).toEqual([])
  for (const used of [80, 81, 82]) held(used, 100)
  const event = "an owner's settlements of today are nearly used up"
  expect(lines).toEqual([
    { event, owner: 'owner', used: 80, limit: 100, expectedAt: '2027-01-15T10:00:00.000Z' },
  ])
  announce(CALLER, { kind: 'over-budget', budget: { used: 100, limit: 100 } })
  expect(lines[1]).toEqual({
    event: "an owner's settlements of today are used up",
    owner: 'owner',
    used: 100,
    limit: 100,
  })
})

test('D41 a limit that changed, and a new day, are announced again', () => {
  held(80, 100)
  held(800, 1_000)
  nowMs += 86_400_000
  held(80, 100)
  expect(lines.map(({ limit, expectedAt }) => [limit, expectedAt])).toEqual([
    [100, '2027-01-15T10:00:00.000Z'],
    [1_000, '2027-01-15T10:00:00.000Z'],
    [100, '2027-01-16T10:00:00.000Z'],
  ])
})

test('D41 an agent gets the budget with its hold from four fifths on, with the expected end only if that is today', () => {
  const now = EIGHT / 1_000
  expect(nearBudget({ used: 79, limit: 100 }, now)).toEqual({})
  expect(nearBudget({ used: 1, limit: undefined }, now)).toEqual({})
  const budget = { used: 80, limit: 100 }
  expect(nearBudget(budget, now)).toEqual({ budget: { ...budget, exhaustedAt: now + 7_200 } })
  expect(nearBudget(budget, now + 15 * 3_600)).toEqual({ budget })
})
