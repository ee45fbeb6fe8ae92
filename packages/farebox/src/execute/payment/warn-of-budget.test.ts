import type { HoldBudget } from '@farebox/payments/x402/facilitator-api'
import { expect, test } from 'vitest'
import { stageAgent } from '../paid-stage.test-setup.ts'

async function warningsFor(...budgets: readonly HoldBudget[]): Promise<readonly string[]> {
  const stage = await stageAgent()
  for (const budget of budgets)
    stage.gate.verifies.push({ kind: 'valid', hold: { holdId: 'hold', holdUntil: 4e9, budget } })
  for (const _ of budgets) expect((await stage.post()).status).toBe(200)
  return stage.logs().filter(line => line.includes('settlements for today'))
}

test('D41 the agent warns that its settlements of today are nearly used up, with the expected time', async () => {
  const exhaustedAt = Date.UTC(2027, 0, 15, 10) / 1_000
  expect(await warningsFor({ used: 80, limit: 100, exhaustedAt }, { used: 82, limit: 100 })).toEqual([
    "warning: the facilitator's settlements for today are nearly used up used=80 limit=100 expectedAt=2027-01-15T10:00:00.000Z",
    "warning: the facilitator's settlements for today are nearly used up used=82 limit=100",
  ])
})

test('D41 the warning for the last settlement says that they are used up', async () => {
  expect(await warningsFor({ used: 100, limit: 100, exhaustedAt: 1 })).toEqual([
    "warning: the facilitator's settlements for today are used up used=100 limit=100",
  ])
})

test('D41 a large limit causes ten warnings, not one per job', async () => {
  const budgets = [80_001, 80_500, 81_999].map(used => ({ used, limit: 100_000 }))
  expect(await warningsFor(...budgets, { used: 82_000, limit: 100_000 })).toHaveLength(1)
})
