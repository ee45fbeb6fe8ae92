import { afterAll, beforeAll, expect, test } from 'vitest'
import { fuzzSockets } from './raw-sockets.ts'
import { attackSlowly } from './slow-clients.ts'
import { startFuzzAgentProcess, type FuzzAgentProcess } from './start-agent-process.ts'

let agent: FuzzAgentProcess
beforeAll(async () => {
  agent = await startFuzzAgentProcess()
})
afterAll(async () => {
  await agent.stop()
})

test('malformed and unusual requests are answered by the table', { timeout: 200_000 }, async () => {
  const { exchanges, wrong } = await fuzzSockets(agent.port, { seed: 1, broken: 300 })
  expect(wrong).toEqual([])
  expect(exchanges).toBeGreaterThan(300)
})

test('/health is answered while slow clients and floods attack', { timeout: 200_000 }, async () => {
  const attack = { slowHeaders: 300, dripBodies: 100, idle: 500, floodConnections: 16, lastsMs: 1_500 }
  const scores = await attackSlowly(agent.port, attack)
  for (const { attack: name, healthAsked, healthAnswered } of scores)
    expect(healthAnswered, name).toBe(healthAsked)
  expect(scores.at(-1)?.answered).toBeGreaterThan(0)
  expect(agent.isAlive()).toBe(true)
})
