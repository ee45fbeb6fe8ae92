import { expect, test } from 'vitest'
import { checkFlow } from '../check/check-flow.ts'
import { randomFlow, randomFrom } from '../test-setup/random-flow.ts'
import { SimulatedWorld } from '../test-setup/simulated-world.ts'
import { formatUsdc } from '@farebox/protocol/money/usdc'
import { sumPayments } from './payments.ts'
import { statusOf } from './run-status.ts'

const RUNS = Number(process.env['FLOW_RUNS'] ?? 500)

test('random flows are right, circles aside: nothing keeps them from being run', () => {
  for (let seed = 0; seed < 300; seed += 1) {
    const checked = checkFlow(randomFlow(randomFrom(seed)))
    const errors = checked.findings.filter(
      ({ severity, id }) => severity === 'error' && !id.startsWith('impossible'),
    )
    expect(errors, `seed ${seed}`).toEqual([])
  }
})

test('with agents that lie and payers that err, no job has two payments, and no run costs more than its limit', () => {
  let expired = 0
  for (let seed = 0; seed < RUNS; seed += 1) {
    const random = randomFrom(seed)
    const world = new SimulatedWorld(random, false)
    for (let step = 0; step < 150; step += 1) world.step()
    world.finish()
    expect(world.problems, `seed ${seed}`).toEqual([])
    const { delivered, undelivered } = world.sums()
    expect(sumPayments(world.run).paid, `seed ${seed}`).toBe(formatUsdc(delivered + undelivered))
    expired += world.expired
  }
  // Payments run out unsent as well.
  expect(expired).toBeGreaterThan(RUNS / 20)
})

test('with honest agents what is paid is what was delivered, and every run ends or says what it waits for', () => {
  const ends = new Map<string, number>()
  for (let seed = 0; seed < RUNS; seed += 1) {
    const world = new SimulatedWorld(randomFrom(10_000 + seed), true)
    for (let step = 0; step < 60; step += 1) world.step()
    world.finish()
    expect(world.problems, `seed ${seed}`).toEqual([])
    const { delivered, undelivered } = world.sums()
    expect(undelivered, `seed ${seed}`).toBe(0n)
    const { status, waiting } = statusOf(world.graph, world.run)
    const done = Object.values(world.run.steps).filter(({ state }) => state === 'done').length
    expect(sumPayments(world.run).paid, `seed ${seed}, ${done} done`).toBe(formatUsdc(delivered))
    expect(
      status === 'completed' || status === 'failed' || status === 'cancelled' || waiting.length > 0,
    ).toBe(true)
    ends.set(status, (ends.get(status) ?? 0) + 1)
  }
  // Runs that never complete would prove little.
  expect(ends.get('completed') ?? 0).toBeGreaterThan(RUNS / 2)
})
