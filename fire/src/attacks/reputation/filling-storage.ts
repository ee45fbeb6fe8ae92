import { randomBytes } from 'node:crypto'
import type { Attack } from '../attack.ts'
import { MAX_DEADLINE_SECONDS, PRICE_ATOMIC, stageOrders, type OrderStage } from './stage-orders.ts'

/** Nothing that a database could make smaller. */
const TEXT = randomBytes(750_000).toString('base64')
const MEBIBYTE = 1_048_576

/** Row 11: orders of a megabyte, each by a key that was made for it. */
export const fillingStorage: Attack = {
  name: 'filling the platform with orders of 1 MB',
  before: '250 orders of empty wallets: 250 taken, the database grew by 262 MB',
  async run({ size, signal }) {
    const orders = size === 'full' ? 250 : 40
    const stage = await stageOrders({ handlerMs: 60_000 })
    try {
      const empty = await fill(stage, { orders, usdcAtomic: 0n, signal })
      const funded = await fill(stage, { orders: orders / 5, usdcAtomic: PRICE_ATOMIC, signal })
      return [
        {
          test: `${orders} orders of 1 MB by empty wallets`,
          reached: `${empty.taken} taken, ${megabytes(empty.kept)} of bodies kept, database grew by ${megabytes(empty.grown)}`,
          target: 'none taken, under 1 MB',
          isMet: empty.taken === 0 && empty.grown < MEBIBYTE,
        },
        {
          test: `${orders / 5} orders of 1 MB by wallets that can pay, from one address`,
          reached: `${funded.taken} taken, ${megabytes(funded.kept)} of bodies kept`,
          target: 'at most 8 MiB kept',
          isMet: funded.kept <= 8 * MEBIBYTE,
        },
      ]
    } finally {
      await stage.close()
    }
  },
}

interface Filling {
  readonly taken: number
  /** Bytes of the bodies that are in the database. */
  readonly kept: number
  /** What the table takes more, as PostgreSQL keeps it. */
  readonly grown: number
}

async function fill(
  stage: OrderStage,
  attack: { readonly orders: number; readonly usdcAtomic: bigint; readonly signal: AbortSignal },
): Promise<Filling> {
  const before = await stage.storedBytes()
  let taken = 0
  for (let sent = 0; sent < attack.orders && !attack.signal.aborted; sent++) {
    const payerKey = await stage.wallet(attack.usdcAtomic)
    const { status } = await stage.order({ payerKey, deadlineSeconds: MAX_DEADLINE_SECONDS, text: TEXT })
    if (status < 300) taken += 1
  }
  const { rows } = await stage.platform.database.pool.query<{ kept: string }>(
    'select coalesce(sum(octet_length(request_body)), 0) as kept from jobs',
  )
  return { taken, kept: Number(rows[0]?.kept), grown: (await stage.storedBytes()) - before }
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`
}
