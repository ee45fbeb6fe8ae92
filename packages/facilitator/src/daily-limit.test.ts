import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { DEFAULT_LIMITS } from './facilitator-limits.ts'
import { hasPostgres, startStack, type RunningFacilitator, type Stack } from './test-setup/start-stack.ts'

const DAY_SECONDS = 86_400

describe.runIf(await hasPostgres())('D41 the settlements of a day', () => {
  let stack: Stack
  let facilitator: RunningFacilitator

  beforeAll(async () => {
    stack = await startStack()
    facilitator = await stack.startFacilitator({ limits: { owners: DEFAULT_LIMITS.owners } })
  })
  afterAll(async () => await stack.stop())

  const gauge = async (name: string): Promise<number> => {
    const text = await facilitator.metrics.registry.metrics()
    const line = text.split('\n').find(one => one.startsWith(`farebox_facilitator_${name} `))
    return Number(line?.split(' ').at(-1))
  }

  test('are announced from four fifths on, refused at the limit until UTC midnight; held payments are settled', async () => {
    const { owner } = stack
    const grant = async (granted: number): Promise<void> =>
      await facilitator.ledger.owners.sponsor(owner, { sponsorship: 'listed', granted })
    await grant(5)
    const [first, ...others] = [await stack.request(), await stack.request(), await stack.request()]
    if (first === undefined) throw new Error('nothing was signed')
    for (const one of [first, ...others]) {
      const { kind, ...answer } = await facilitator.verify(one)
      expect([kind, answer]).toEqual([
        'valid',
        { hold: { holdId: expect.any(String), holdUntil: expect.any(Number) } },
      ])
    }
    const fourth = await facilitator.verify(await stack.request())
    const budget = fourth.kind === 'valid' ? fourth.hold?.budget : undefined
    expect(budget).toMatchObject({ used: 4, limit: 5 })
    await expect.poll(() => gauge('owners_near_limit')).toBe(1)
    expect(await gauge('owners_at_limit')).toBe(0)

    // As after the agent's stake was withdrawn.
    await grant(2)
    const askedSeconds = Date.now() / 1_000
    const refused = await facilitator.app.inject({
      method: 'POST',
      url: '/verify',
      headers: { authorization: `Bearer ${stack.secret}` },
      payload: JSON.stringify(await stack.request()),
    })
    expect([refused.statusCode, refused.json()]).toEqual([
      503,
      { error: 'the owner of this secret has used up its 2 settlements for today (UTC)' },
    ])
    const retryAfter = Number(refused.headers['retry-after'])
    const midnight = Math.ceil(askedSeconds / DAY_SECONDS) * DAY_SECONDS
    expect(askedSeconds + retryAfter - 1).toBeLessThanOrEqual(midnight)
    expect(Date.now() / 1_000 + retryAfter + 1).toBeGreaterThanOrEqual(midnight)
    await expect.poll(() => gauge('owners_at_limit')).toBe(1)
    expect(await gauge('owners_near_limit')).toBe(0)
    expect(await facilitator.settle(first)).toMatchObject({ kind: 'settled' })
  })
})
