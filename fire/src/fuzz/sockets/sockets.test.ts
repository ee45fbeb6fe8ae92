import { afterAll, beforeAll, expect, test } from 'vitest'
import { fuzzSockets } from './raw-sockets.ts'
import { attackSlowly, NOBODY } from './slow-clients.ts'
import { startFuzzAgentProcess, type FuzzAgentProcess } from './start-agent-process.ts'

let agent: FuzzAgentProcess
beforeAll(async () => {
  agent = await startFuzzAgentProcess()
})
afterAll(async () => {
  await agent.stop()
})

test('malformed and unusual requests are answered by the table', { timeout: 60_000 }, async () => {
  const { exchanges, wrong } = await fuzzSockets(agent.port, { seed: 1, broken: 300 })
  expect(wrong).toEqual([])
  expect(exchanges).toBeGreaterThan(300)
})

test('slow clients and floods leave /health quick', { timeout: 60_000 }, async () => {
  const attack = { slowHeaders: 300, dripBodies: 100, idle: 500, floodConnections: 16, lastsMs: 1_500 }
  const scores = await attackSlowly(agent.port, attack)
  // Other tests run beside this one, so the 250 ms of the battery are not asked for: who blocks it costs seconds.
  const limitMs = Math.max(1_000, 5 * (scores.find(({ attack: name }) => name === NOBODY)?.healthP99Ms ?? 0))
  for (const { attack: name, healthP99Ms } of scores) expect(healthP99Ms, name).toBeLessThan(limitMs)
  expect(scores.at(-1)?.answered).toBeGreaterThan(100)
  expect(agent.isAlive()).toBe(true)
})
