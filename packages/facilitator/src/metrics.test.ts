import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  facilitatorRequest,
  freshBinding,
  PRICE,
  signAuthorization,
} from './test-setup/payments-for-tests.ts'
import { hasPostgres, startStack, type RunningFacilitator, type Stack } from './test-setup/start-stack.ts'

describe.runIf(await hasPostgres())('the metrics of a facilitator at work', () => {
  let stack: Stack
  let facilitator: RunningFacilitator

  beforeAll(async () => {
    stack = await startStack()
    facilitator = await stack.startFacilitator()
  })
  afterAll(async () => await stack.stop())

  const valueOf = async (name: string): Promise<number | undefined> => {
    const text = await facilitator.metrics.registry.metrics()
    const line = text.split('\n').find(one => one.startsWith(`farebox_facilitator_${name} `))
    return line === undefined ? undefined : Number(line.split(' ').at(-1))
  }

  test('a payment is counted from its hold to its block, and the gauges of ledger, chain and account are read', async () => {
    const holder = await stack.createPayer(PRICE)
    const held = facilitatorRequest(await signAuthorization(stack.crypto, holder), {
      binding: freshBinding(),
    })
    await facilitator.verify(held)
    expect(await valueOf('payments_total{state="held",reason=""}')).toBe(1)
    expect(await valueOf('holds_open')).toBe(1)
    expect(await valueOf('holds_atomic')).toBe(Number(PRICE))

    expect(await facilitator.settle(held)).toMatchObject({ kind: 'settled' })
    // It is reported before it is recorded and counted.
    for (const state of ['captured', 'settled'])
      await expect.poll(() => valueOf(`payments_total{state="${state}",reason=""}`)).toBe(1)
    for (const outcome of ['saved', 'mined'])
      await expect.poll(() => valueOf(`transactions_total{outcome="${outcome}"}`)).toBe(1)
    expect(await valueOf('gas_used_total')).toBeGreaterThan(30_000)
    expect(await valueOf('gas_paid_ether_total')).toBeGreaterThan(0)
    const relayer = `{relayer="${facilitator.relayers.join()}"}`
    expect(await valueOf(`relayer_balance_ether${relayer}`)).toBeGreaterThan(9_000)
    await expect.poll(() => valueOf('holds_open')).toBe(0)
    await expect.poll(() => valueOf('settlements_pending_oldest_seconds')).toBe(0)
    for (const name of [`relayer_nonce_gap${relayer}`, `relayer_transactions_open${relayer}`])
      await expect.poll(() => valueOf(name)).toBe(0)
    expect(await valueOf('chain_blocks_behind')).toBe(0)
    expect(await valueOf('ledger_reachable')).toBe(1)
    expect(await valueOf('database_connections{state="open"}')).toBeGreaterThan(0)
    expect(await valueOf('database_connections{state="waiting"}')).toBe(0)
    expect(await valueOf('node_reachable')).toBe(1)
    await expect.poll(() => valueOf('ledger_comparisons_total{outcome="done"}')).toBeGreaterThan(0)
  })

  test('a ledger that does not answer is reported, and does not delay the scrape', async () => {
    const dead = { ...facilitator.ledger, totals: () => new Promise<never>(() => undefined) }
    const other = await stack.startFacilitator({ ledger: dead })
    const text = await other.metrics.registry.metrics()
    expect(text).toContain('farebox_facilitator_ledger_reachable 0')
    expect(text).not.toMatch(/^farebox_facilitator_holds_open /m)
  })
})
