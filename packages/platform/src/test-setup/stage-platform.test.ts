import { expect, test } from 'vitest'
import { insertAgent } from './database/insert-agent.ts'
import { stagePlatform } from './stage-platform.ts'

test('a stage has a schema of its own, contains an agent exactly as inserted, and leaves nothing behind', async () => {
  const stage = await stagePlatform()
  const agent = await insertAgent(stage.database, { badge: 'silver' })
  expect(agent).toMatchObject({ agentId: 1, standing: 'listed', badge: 'silver', stakeWei: 10n ** 15n })
  expect(Object.keys(agent.declaration?.capabilities ?? {})).toEqual(['count'])
  expect((await insertAgent(stage.database)).agentId).toBe(2)
  await stage.close()
})
