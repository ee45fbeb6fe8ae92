import { randomBytes, randomUUID } from 'node:crypto'
import { silentLog } from '@farebox/server/log'
import { expect, test } from 'vitest'
import type { ChainReader } from '../chain/chain-reader.ts'
import { DEFAULT_LIMITS } from '../facilitator-limits.ts'
import { createMemoryLedger } from '../ledger/memory/memory-ledger.ts'
import type { LedgerPayment } from '../ledger/payment-record.ts'
import { createFacilitatorMetrics } from '../metrics.ts'
import { firstPass, reconcile } from './reconcile.ts'
import { NETWORK, PAY_TO } from '../test-setup/payments-for-tests.ts'

// The new states of corrected rows are tested in recovery.test.ts on a real chain; this file tests large numbers of rows.

const NOW = 1_800_000_000
const hex = (bytes: number): string => `0x${randomBytes(bytes).toString('hex')}`

function payment(): LedgerPayment {
  const authorization = {
    from: hex(20),
    to: PAY_TO,
    value: '100',
    validAfter: '0',
    validBefore: String(NOW + 300),
    nonce: hex(32),
  }
  return {
    key: `${authorization.from}:${authorization.nonce}`,
    network: NETWORK.id,
    asset: NETWORK.asset.address,
    authorization,
    signature: hex(65),
  }
}

/** A ledger with this many failed and released rows, on a chain that has none of their authorizations. */
async function stage(counts: { readonly failed: number; readonly released: number }) {
  const clock = { nowMs: () => NOW * 1_000, after: () => () => undefined }
  const ledger = createMemoryLedger(clock)
  const hold = async (): Promise<{ readonly one: LedgerPayment; readonly holdId: string }> => {
    const [one, holdId] = [payment(), randomUUID()]
    const observed = { balanceAtomic: 100n, blockNumber: 10n }
    const terms = {
      binding: 'job',
      owner: 'owner',
      secretId: 'secret',
      trace: '1'.repeat(32),
      alone: false,
      limits: DEFAULT_LIMITS.owners,
    }
    await ledger.payments.hold({
      payment: one,
      ...terms,
      holdId,
      holdUntil: NOW + 60,
      nowSeconds: NOW,
      observed,
    })
    return { one, holdId }
  }
  for (let count = 0; count < counts.failed; count += 1) {
    const { one } = await hold()
    await ledger.payments.capture({ payment: one, binding: 'job', owner: 'owner' })
    const failure = { reason: 'broke', message: 'no money' }
    await ledger.settlements.conclude([
      { key: one.key, from: 'captured', to: 'failed', transaction: '', blamed: false, failure },
    ])
  }
  for (let count = 0; count < counts.released; count += 1)
    await ledger.payments.release({ holdId: (await hold()).holdId, binding: 'job', owner: 'owner' })
  let looks = 0
  const reader: ChainReader = {
    observe(payments) {
      looks += 1
      const unused = { blockNumber: 20n, balanceAtomic: 100n, used: false, revert: undefined }
      return Promise.resolve(payments.map(() => ({ ...unused, blockSeconds: NOW + behindSeconds })))
    },
    readUses: () => Promise.resolve({ blockNumber: 20n, used: new Set<string>() }),
    findSettlement: () => Promise.reject(new Error('nothing was used')),
    readReceipt: () => Promise.resolve(undefined),
    isInBlock: () => Promise.resolve(false),
    readUseEvents: () => Promise.resolve(new Set()),
    readSender: () => Promise.resolve(undefined),
    readHead: () => Promise.resolve({ number: 20n, seconds: NOW }),
    readBlockSeconds: () => Promise.resolve(NOW),
  }
  let behindSeconds = 0
  return {
    looks: () => looks,
    fallBehind: () => {
      behindSeconds = -12
    },
    async compare() {
      const parts = { ledger, reader, network: NETWORK, clock, log: silentLog, everyMs: 60_000 }
      const onConcluded = (): void => undefined
      const confirmChain = (): Promise<void> => Promise.resolve()
      const metrics = createFacilitatorMetrics(() => undefined)
      await reconcile({ ...parts, metrics, onConcluded, confirmChain }, firstPass())
    },
    async unseen(): Promise<number> {
      const rows = await ledger.audit.uncharged(NETWORK.id, 120, { auditedBefore: 1, limit: 10_000 })
      return rows.length
    },
  }
}

test('one comparison checks every row once, although failed ones come first and are many', async () => {
  const { compare, unseen, looks } = await stage({ failed: 700, released: 900 })
  expect(await unseen()).toBe(1_600)
  await compare()
  expect([await unseen(), looks()]).toEqual([0, 32])
})

test('answers of a node that is behind do not cause repeated requests', async () => {
  const { compare, unseen, looks, fallBehind } = await stage({ failed: 0, released: 600 })
  fallBehind()
  await compare()
  expect(await unseen()).toBe(0)
  expect(looks()).toBeLessThanOrEqual(22)
})
