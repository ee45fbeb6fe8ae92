import { readFileSync } from 'node:fs'
import fastify from 'fastify'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { insertAgent } from '../test-setup/database/insert-agent.ts'
import { stagePlatform, type Stage } from '../test-setup/stage-platform.ts'
import { createMetrics } from './create-metrics.ts'

const PAGE = readFileSync(new URL('../../../../docs/metrics.md', import.meta.url), 'utf8')

let stage: Stage
beforeAll(async () => {
  stage = await stagePlatform()
})
afterAll(() => stage.close())

test('docs/metrics.md has every metric of the platform as it is registered, and no others', async () => {
  const registered = await createMetrics(stage.parts).registry.getMetricsAsJSON()
  const rows = registered
    .filter(({ name }) => !/^farebox_platform_(?:process|nodejs)_/.test(name))
    .map(({ name, type, help }) => [name, type, help])
  const page = PAGE.matchAll(/^\| `(farebox_platform_\w+)` \| (\w+) \| .+? \| .+? \| (.+?) \| .+? \|$/gm)
  expect([...page].map(([, name, type, help]) => [name, type, help])).toEqual(rows)
})

test('OPS agents by standing, the delay of overdue work, and responses by route are counted', async () => {
  await insertAgent(stage.database, {})
  await insertAgent(stage.database, { standing: 'provisional' })
  const { registry, watch } = createMetrics(stage.parts)
  const app = fastify()
  watch(app)
  app.get('/v1/agents/:agentId', async () => ({}))
  await app.inject('/v1/agents/7')
  const text = await registry.metrics()
  expect(text).toContain('farebox_platform_agents{standing="listed",offline="false"} 1')
  expect(text).toContain('farebox_platform_agents{standing="provisional",offline="false"} 1')
  expect(text).toContain('farebox_platform_late_seconds{work="checks"} 0')
  expect(text).toContain('farebox_platform_answers_total{route="GET /v1/agents/:agentId",status="200"} 1')
  await app.close()
})

test('OPS a value that cannot be read is absent, and the part that does not answer is named', async () => {
  const failing = async (): Promise<never> => await Promise.reject(new Error('away'))
  const isAway = { database: false, node: false }
  const database: typeof stage.database = {
    ...stage.database,
    query: async (...query) => await (isAway.database ? failing() : stage.database.query(...query)),
  }
  const rpc = {
    ...stage.parts.rpc,
    call: async () => await (isAway.node ? failing() : Promise.resolve('0x1')),
  }
  let nowMs = stage.parts.clock.nowMs()
  const clock = { ...stage.parts.clock, nowMs: () => nowMs }
  const { registry } = createMetrics({ ...stage.parts, database, rpc, clock })
  const shown = async (): Promise<string> => {
    nowMs += 31_000
    return await registry.metrics()
  }
  expect(await shown()).toContain('farebox_platform_registry_blocks_behind ')
  isAway.database = true
  const away = await shown()
  expect(away).toContain('farebox_platform_database_reachable 0')
  expect(away).toContain('farebox_platform_node_reachable 1')
  expect(away).not.toMatch(
    /^farebox_platform_(?:agents|late_seconds|registry_blocks_behind|canary_spent_usdc)\b.* \d/m,
  )
  Object.assign(isAway, { database: false, node: true })
  const back = await shown()
  expect(back).toContain('farebox_platform_database_reachable 1')
  expect(back).toContain('farebox_platform_node_reachable 0')
  expect(back).toContain('farebox_platform_registry_blocks_behind ')
})
