import { expect, test } from 'vitest'
import { attackSlowly, type AttackScore } from './slow-clients.ts'
import { startServedAgent } from './start-served-agent.ts'

test('/health is answered while slow clients and floods attack', async () => {
  const agent = await startServedAgent()
  const scores: AttackScore[] = []
  await attackSlowly(agent.port, 0.2, 1_500, new AbortController().signal, score => scores.push(score))
  for (const { attack, healthAsked, healthAnswered } of scores)
    expect(healthAnswered, attack).toBe(healthAsked)
  expect(agent.isAlive()).toBe(true)
  await agent.stop()
})
