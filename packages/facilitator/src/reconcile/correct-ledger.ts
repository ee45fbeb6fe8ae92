import type { Network } from '@farebox/payments/networks'
import type { Clock } from '@farebox/protocol/time/clock'
import type { Log } from '@farebox/server/log'
import type { ChainReader } from '../chain/chain-reader.ts'
import { countLoss } from '../count-loss.ts'
import { paymentFields } from '../ledger/payment-fields.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { Conclusion } from '../ledger/settlement-ledger.ts'
import type { Metrics } from '../metrics.ts'

/** The dependencies of the reconciler. */
export interface ReconcilerParts {
  readonly ledger: Ledger
  readonly reader: ChainReader
  readonly network: Network
  readonly clock: Clock
  readonly log: Log
  readonly metrics: Metrics
  readonly everyMs: number
  /** Rejects when the node is not on the known chain: no row is corrected from another chain. */
  readonly confirmChain: () => Promise<void>
  readonly onConcluded: (conclusions: readonly Conclusion[]) => void
}

/** Updates a row to match the chain, which decides when the two disagree; counts and logs the correction. */
export async function correctLedger(
  parts: ReconcilerParts,
  kind: string,
  conclusion: Conclusion,
): Promise<void> {
  const [payment] = await parts.ledger.settlements.conclude([conclusion])
  if (payment === undefined) return
  parts.metrics.ledgerMismatches.inc({ kind })
  parts.log.warn('ledger corrected from the chain', {
    kind,
    ...paymentFields(payment),
    from: conclusion.from,
    to: conclusion.to,
  })
  countLoss(parts, conclusion, payment)
  parts.onConcluded([conclusion])
}
