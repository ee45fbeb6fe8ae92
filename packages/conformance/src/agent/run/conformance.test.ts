import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Agent } from 'farebox'
import type { AgentMode } from '../check/agent-mode.ts'
import type { Check } from '../check/check.ts'
import { listChecks } from './list-checks.ts'
import { startRun, type CheckResult, type ConformanceRun } from './run-conformance.ts'
import { serveFixture } from '../../serve-fixture.ts'

describe.each(['dev', 'paid', 'locked'] as const)('the fixture agent, %s', mode => {
  let agent: Agent
  let run: ConformanceRun

  beforeAll(async () => {
    const fixture = await serveFixture(mode)
    agent = fixture.agent
    const port = await agent.listen({ port: 0, host: '127.0.0.1' })
    const payer = { signer: fixture.signer, maxPrice: 1_000_000n, maxJobs: 1_000 }
    run = await startRun({
      baseUrl: `http://127.0.0.1:${port}`,
      known: fixture.known,
      payer,
      clock: fixture.clock,
    })
  })
  afterAll(() => agent.close())

  test.each(askedIn(mode).map(nameCheck))('%s', async (_, check) => {
    expect(describeOutcome(await run.put(check))).toBe('passed')
  })
})

test('every check has a unique id and names its rules', () => {
  const checks = listChecks()
  expect(new Set(checks.map(({ id }) => id)).size).toBe(checks.length)
  expect(checks.filter(({ rules }) => rules.length === 0)).toEqual([])
})

function askedIn(mode: AgentMode): readonly Check[] {
  return listChecks().filter(
    ({ needs }) => needs.modes.includes(mode) && (mode === 'paid' || !needs.knows.includes('gate')),
  )
}

function nameCheck(check: Check): readonly [name: string, check: Check] {
  return [`${check.rules.join(', ')}: ${check.title}`, check]
}

/** Describes the result, so that a failing test shows what the agent responded. */
function describeOutcome(result: CheckResult): string {
  switch (result.outcome) {
    case 'passed':
      return 'passed'
    case 'failed':
      return `expected ${result.expected}, got ${result.got}`
    case 'not applicable':
      return `not applicable: ${result.why}`
  }
}
