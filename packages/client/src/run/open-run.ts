import type { Flow } from '@farebox/flows/document/flow'
import type { RunPayment } from '@farebox/platform-api/flows/runs'
import { readPrice } from '@farebox/protocol/money/usdc'
import type { Connection } from '../exchange/client-options.ts'
import type { FollowedRun } from './follow-run.ts'
import type { FollowOptions } from './run-options.ts'
import type { RunHandle, RunRecord } from './run-record.ts'
import { createSpending } from './spending.ts'

/** The known data of a run before it is followed. */
export interface KnownRun {
  readonly handle: RunHandle
  readonly flow: Flow
  /** Decimal USDC. */
  readonly maxTotal: string
  /** All payments signed for it. */
  readonly payments: readonly RunPayment[]
  /** The earlier record. */
  readonly record: Pick<RunRecord, 'request' | 'payments'>
}

/**
 * Prepares a run for following.
 *
 * @throws {RangeError} for a `maxTotal` that is not a price
 */
export function openRun(
  connection: Connection,
  { handle, flow, maxTotal, payments, record }: KnownRun,
  options: FollowOptions,
): FollowedRun {
  const spending = createSpending(readTotalLimit(maxTotal), payments)
  const signed = [...payments]
  const { session: _, ...found } = handle
  return {
    connection,
    handle,
    flow,
    signer: options.signer,
    networks: options.networks,
    maxTotal,
    spending,
    signed,
    refused: new Set(),
    options,
    async keep(more) {
      const later = [...record.payments, ...signed.slice(payments.length), ...more]
      await options.journal?.({ ...found, ...record, payments: later })
      spending.add(more)
      signed.push(...more)
    },
  }
}

/**
 * `maxTotal` in atomic units.
 *
 * @throws {RangeError}
 */
export function readTotalLimit(maxTotal: string): bigint {
  const price = readPrice(maxTotal)
  if (!price.ok) throw new RangeError(`maxTotal: ${price.reason}`)
  return price.atomic
}
