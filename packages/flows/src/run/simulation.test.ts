import { formatUsdc } from '@farebox/protocol/money/usdc'
import { expect, test } from 'vitest'
import { checkFlow } from '../check/check-flow.ts'
import { checkRandomly, randomFlow } from '../test-setup/random-flow.ts'
import { SimulatedWorld } from '../test-setup/simulated-world.ts'
import { sumPayments } from './payments.ts'
import { statusOf } from './run-status.ts'

const RUNS = Number(process.env['FLOW_RUNS'] ?? 500)

test('random flows are valid and can be run', () => {
  checkRandomly(RUNS, random => {
    const { findings } = checkFlow(randomFlow(random))
    expect(findings.filter(({ severity }) => severity === 'error')).toEqual([])
  })
})

test('with lying agents and faulty payers, no job has two payments, and no run costs more than its limit', () => {
  let expired = 0
  checkRandomly(RUNS, random => {
    const world = new SimulatedWorld(random, false)
    for (let step = 0; step < 150; step += 1) world.step()
    world.finish()
    expect(world.problems).toEqual([])
    const { delivered, undelivered } = world.sums()
    expect(sumPayments(world.run).paid).toBe(formatUsdc(delivered + undelivered))
    expired += world.expired
  })
  // Payments also expire unsent.
  expect(expired).toBeGreaterThan(RUNS / 20)
})

test('with honest agents every charged payment has a delivery, and every run ends or reports why it waits', () => {
  const ends = new Map<string, number>()
  const done = new Map<string, number>()
  checkRandomly(RUNS, random => {
    const world = new SimulatedWorld(random, true)
    for (let step = 0; step < 60; step += 1) world.step()
    world.finish()
    expect(world.problems).toEqual([])
    const { delivered, undelivered } = world.sums()
    expect(undelivered).toBe(0n)
    expect(sumPayments(world.run).paid).toBe(formatUsdc(delivered))
    const { status, waiting } = statusOf(world.graph, world.run)
    expect(['completed', 'failed', 'cancelled'].includes(status) || waiting.length > 0).toBe(true)
    ends.set(status, (ends.get(status) ?? 0) + 1)
    for (const kind of world.endedKinds()) done.set(kind, (done.get(kind) ?? 0) + 1)
  })
  // Runs that never complete, or without branches, lists and waits, would prove little.
  expect(ends.get('completed') ?? 0).toBeGreaterThan(RUNS / 2)
  for (const kind of KINDS.split(' ')) expect(done.get(kind) ?? 0, kind).toBeGreaterThan(RUNS / 50)
})

/** Kinds of steps that must have ended, with details for some. */
const KINDS =
  'job list item template pick rename to-number join split constant default first branch approval wait ' +
  'other-way skipped after'
