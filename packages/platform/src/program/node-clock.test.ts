import { systemClock } from '@farebox/protocol/time/clock'
import { expect, test } from 'vitest'
import { createNodeClock } from './node-clock.ts'

const NOW = Date.UTC(2027, 0, 1)

function hearing() {
  const lines: string[] = []
  const note =
    (level: string) =>
    (message: string): void =>
      void lines.push(`${level}: ${message}`)
  const nodeClock = createNodeClock(systemClock, {
    info: note('info'),
    warn: note('warn'),
    error: note('error'),
  })
  const hear = (oursAheadSeconds: number): void =>
    nodeClock.hear({ theirsMs: NOW - oursAheadSeconds * 1_000, sentMs: NOW, receivedMs: NOW + 50 })
  return { nodeClock, hear, lines }
}

test("a clock that differs from the node's is logged once, at the second response, and again when it agrees", () => {
  const { nodeClock, hear, lines } = hearing()
  hear(-12)
  expect(nodeClock.skew()).toBeUndefined()
  for (let answers = 0; answers < 3; answers += 1) hear(-12)
  expect(nodeClock.skew()).toEqual({ said: "our clock is 12 s behind the node's", isUnfit: false })
  expect(lines).toHaveLength(1)
  hear(0)
  expect(nodeClock.skew()).toBeUndefined()
  expect(lines[1]).toMatch(/^info: clocks agree again/)
})

test('a clock more than half a minute off is unfit', () => {
  const { nodeClock, hear } = hearing()
  hear(-40)
  hear(-40)
  expect(nodeClock.skew()?.isUnfit).toBe(true)
})
