import { expect, test } from 'vitest'
import { buildGraph } from '../graph/graph.ts'
import { flowOf, jobStep } from '../test-setup/sample-flows.ts'
import { startRun } from './start-run.ts'

test('a hundred items that each take long to check end their step in little time', () => {
  const slow = { type: 'string', pattern: '(\\w|\\d|\\s|.){900}$', required: true } as const
  const flow = flowOf(
    { list: { type: 'array', items: { type: 'string' } } },
    { each: jobStep({ a: slow }, { x: { type: 'string' } }, { map: { port: 'a', most: 100 } }) },
    ['input.list > each.a', 'each.x > output.x'],
  )
  const input = { list: Array.from({ length: 100 }, () => 'ab c9-x_'.repeat(360)) }
  const { user } = process.cpuUsage()
  const started = startRun(buildGraph(flow), input, { max_total: '1', now: 0 })
  expect((process.cpuUsage().user - user) / 1_000).toBeLessThan(4_000)
  expect(started.ok && started.run.steps['each']).toMatchObject({
    state: 'failed',
    reason: expect.stringMatching(/^item 3: a: is where the check reached its limit/),
  })
})
