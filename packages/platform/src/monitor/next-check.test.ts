import { expect, test } from 'vitest'
import { nextCheckMs } from './next-check.ts'

const INTERVAL_MS = 600_000
const NOW_MS = Date.UTC(2027, 0, 1)

test('HLT-02 the checks of many agents are spread evenly, even if all came due at once', () => {
  const tenths = Array.from({ length: 10 }, () => 0)
  for (let agentId = 1; agentId <= 10_000; agentId++) {
    const dueMs = nextCheckMs(agentId, NOW_MS, INTERVAL_MS, (agentId * 0.37) % 1)
    const tenth = Math.floor((dueMs % INTERVAL_MS) / (INTERVAL_MS / 10))
    tenths[tenth] = (tenths[tenth] ?? 0) + 1
  }
  for (const count of tenths) expect(count).toBeGreaterThan(900)
  for (const count of tenths) expect(count).toBeLessThan(1_100)
})

test('HLT-02 an agent is checked once an interval, each time at its own place', () => {
  for (const chance of [0, 0.5, 0.999_999]) {
    for (const agentId of [1, 2, 77, 1_000_000, 2 ** 40]) {
      let atMs = nextCheckMs(agentId, NOW_MS, INTERVAL_MS, chance)
      expect(atMs - NOW_MS).toBeGreaterThanOrEqual(INTERVAL_MS / 2)
      for (let round = 0; round < 100; round++) {
        // A check begins a little after it is due.
        const nextMs = nextCheckMs(agentId, atMs + 700, INTERVAL_MS, 1 - chance)
        expect(Math.abs(nextMs - atMs - INTERVAL_MS)).toBeLessThanOrEqual(INTERVAL_MS * 0.04 + 1)
        atMs = nextCheckMs(agentId, atMs + 700, INTERVAL_MS, chance)
      }
    }
  }
})
