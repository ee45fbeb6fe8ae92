import { printable } from '@farebox/conformance/internal/printable'
import type { PaidAttempt } from '@farebox/client/attempt/paid-attempt'
import { PaymentUnresolved } from '@farebox/client/attempt/payment-unresolved'
import { type ChainVerdict, findSettlement } from '@farebox/payments/chain/find-settlement'
import { isServiceError } from '@farebox/protocol/errors/service-errors'
import { formatUsdc } from '@farebox/protocol/money/usdc'
import type { OpenChain } from '../../chain/open-chain.ts'
import { EXIT } from '../../command-error.ts'
import { untilTime } from '../../terminal/text.ts'
import { CallFailure } from './call-document.ts'

export interface PaidFailure {
  readonly error: Error
  readonly attempt: PaidAttempt
  readonly resumed: boolean
  readonly stopped: boolean
  readonly chain: OpenChain | undefined
  readonly nowSeconds: number
}

/**
 * Explains a sent payment that brought no output, stating only what is known: what the chain shows when a node is known,
 * else what the agent reports if it can know it, else that the outcome is unknown. A typed failure says that this response
 * charged nothing. It says nothing about earlier responses, because agents forget them after ten minutes, and a store in
 * memory loses them when its process ends (D24).
 */
export async function explainPaid(failure: PaidFailure): Promise<CallFailure> {
  const verdict = await askChain(failure)
  const { attempt, nowSeconds } = failure
  if (verdict?.kind === 'settled') return charged(failure, verdict.transaction)
  const isDead =
    (verdict?.kind === 'spent-otherwise' && verdict.isFinal) ||
    (verdict?.kind === 'unused' && Math.min(verdict.headSeconds, nowSeconds) > attempt.chargeableUntil)
  if (isDead) return notCharged(failure, 'the chain shows no charge, and the payment is void', undefined)
  // After the first response, an unused nonce proves nothing while the payment is valid: its settlement may be in progress.
  const isUnclear = verdict !== undefined && verdict.kind !== 'unused'
  if (isServiceError(failure.error) && isFirstAnswer(failure) && !isUnclear) {
    const proof = verdict === undefined ? 'not charged, says the agent' : 'not charged, and the chain agrees'
    return notCharged(
      failure,
      proof,
      nowSeconds < attempt.chargeableUntil ? attempt.chargeableUntil : undefined,
    )
  }
  return unknown(failure)
}

/** Returns whether the agent's response is the only one that can exist for this job. */
function isFirstAnswer({ attempt, resumed }: PaidFailure): boolean {
  return !resumed && attempt.unanswered === 0
}

async function askChain({
  attempt,
  chain,
  stopped,
  nowSeconds,
}: PaidFailure): Promise<ChainVerdict | undefined> {
  if (chain === undefined || stopped) return undefined
  // When the node does not respond, only the agent's report remains.
  return await findSettlement(chain.rpc, attempt.network, attempt.authorization, nowSeconds).catch(
    () => undefined,
  )
}

function charged(failure: PaidFailure, transaction: string): CallFailure {
  const { error, attempt } = failure
  const { jobId } = attempt.entry
  const again = error instanceof PaymentUnresolved
  return new CallFailure(
    {
      ...factsOf(failure),
      message: `${reasonOf(failure)}; but ${amountOf(attempt)} was charged, in ${transaction}`,
      next: again
        ? `ask for the answer, without paying again: farebox call --resume ${jobId}`
        : 'the agent was paid and does not answer for it: show it the transaction',
      charged: 'yes',
      transaction,
    },
    { cause: error, exitCode: again ? EXIT.unresolved : EXIT.refused },
  )
}

function notCharged(failure: PaidFailure, proof: string, until: number | undefined): CallFailure {
  const { error, nowSeconds } = failure
  const rest =
    until === undefined
      ? ''
      : `\nthe signed payment expires at ${untilTime(until, nowSeconds)}; an honest agent does not use it`
  return new CallFailure(
    {
      ...factsOf(failure),
      message: reasonOf(failure),
      next: proof + rest,
      charged: 'no',
      ...(until === undefined ? {} : { chargeable_until: until }),
    },
    { cause: error },
  )
}

function unknown(failure: PaidFailure): CallFailure {
  const { error, attempt, nowSeconds, chain } = failure
  const { chargeableUntil, entry } = attempt
  const isOver = nowSeconds > chargeableUntil
  const when = isOver
    ? 'may have been charged'
    : `may be charged until ${untilTime(chargeableUntil, nowSeconds)}`
  const ask =
    isOver && chain === undefined
      ? `whether it was, the chain tells: farebox call --resume ${entry.jobId} --rpc-url <a node of ${attempt.network.id}>`
      : `ask again, without paying again: farebox call --resume ${entry.jobId}`
  const word = isServiceError(error)
    ? '\nthe agent’s answer does not settle it: what it answered before, it forgets after ten minutes or a restart'
    : ''
  return new CallFailure(
    {
      ...factsOf(failure),
      message: reasonOf(failure),
      next: `a payment of ${amountOf(attempt)} was sent: it ${when}${word}\n${ask}`,
      charged: 'unknown',
      ...(isOver ? {} : { chargeable_until: chargeableUntil }),
    },
    { cause: error, exitCode: EXIT.unresolved },
  )
}

function factsOf({ error, attempt, stopped }: PaidFailure): {
  readonly job_id: string
  readonly capability: string
  readonly type: string
} {
  const { jobId, capability } = attempt.entry
  const type = isServiceError(error) ? error.errorType : stopped ? 'stopped' : 'unresolved'
  return { job_id: jobId, capability, type }
}

function reasonOf({ error, attempt, stopped }: PaidFailure): string {
  if (isServiceError(error)) return `${error.errorType}: ${printable(error.message)}`
  if (stopped) return `stopped while job ${attempt.entry.jobId} waits for its answer`
  // The client's own advice is written for programs, so it is replaced by ours.
  return printable(error.message.replace(/; the payment may have been charged.*$/, ''))
}

function amountOf({ authorization }: PaidAttempt): string {
  return `${formatUsdc(BigInt(authorization.value))} USDC`
}
