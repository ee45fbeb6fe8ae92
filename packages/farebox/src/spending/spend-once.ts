import { encodeSpend, type SpendRefusal } from '@farebox/contracts/permission-calls'
import type { PermissionKey } from '@farebox/contracts/permission-typed-data'
import type { JsonRpc } from '@farebox/payments/chain/json-rpc'
import { sendUntilMined, type SentTransaction } from '@farebox/payments/internal/transaction/send-until-mined'
import {
  DeadlineError,
  InternalError,
  isServiceError,
  ValidationError,
} from '@farebox/protocol/errors/service-errors'
import { formatUsdc } from '@farebox/protocol/money/usdc'
import { sleep, type Clock } from '@farebox/protocol/time/clock'
import type { Spent } from '../handlers.ts'
import type { PastSpend, PermissionReads } from './permission-reads.ts'
import type { SpendSender } from './spend-sender.ts'
import type { SpendTerms } from './spend-terms.ts'

/** A planned spend of one job. */
export interface PlannedSpend extends SpendTerms {
  readonly key: PermissionKey
  /** The token's symbol as declared, for messages. */
  readonly symbol: string
  readonly ref: bigint
  /** Unix milliseconds until which the spend is followed. */
  readonly deadlineMs: number
  /** Aborts when no further transaction may be sent. */
  readonly signal: AbortSignal
  /** Called for each transaction that may move tokens, before its outcome is known. */
  readonly onSent: (transaction: string) => void
}

/** The parts that a spend needs. */
export interface SpendTools {
  readonly rpc: Pick<JsonRpc, 'call'>
  readonly reads: PermissionReads
  readonly sender: SpendSender
  readonly clock: Clock
  /** Aborts when the agent stops; the next process asks for outcomes that are unknown then. */
  readonly stopped: AbortSignal
}

/** The node failed, and no transaction of this attempt was sent. `logText` has the node's message for the log. */
export class SpendImpossible extends InternalError {
  readonly logText: string

  constructor(message: string, logText: string) {
    super(message)
    this.logText = logText
  }
}

/** Nonces collide and transactions become invalid when replicas spend with one key at the same time. */
const MAX_ATTEMPTS = 20
const PAUSE_MS = 250

/**
 * Makes a spend, or finds that it was made: its ref can be used only once, by any process and after any earlier
 * attempt. Resolves when the spend is in a block.
 *
 * Throws a `ValidationError` when the payer does not permit it, a `DeadlineError` when the outcome is unknown at the
 * deadline, and a {@link SpendImpossible} when it cannot be sent.
 */
export async function spendOnce(tools: SpendTools, planned: PlannedSpend): Promise<Spent> {
  const { reads, sender } = tools
  const { key, ref, amountAtomic, symbol, to } = planned
  const { owner, token, scope } = key
  const callData = encodeSpend({ owner, token, scope, to, amount: amountAtomic, ref })
  /** The last transaction of this attempt while its outcome is unknown. */
  let open: SentTransaction | undefined
  const ask = async <T>(question: () => Promise<T>, explain = unreachable): Promise<T> =>
    open === undefined ? await question().catch(explain) : await persist(tools, planned, question)

  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    const state = await ask(() => reads.refState(key, ref))
    if (state === 'used') {
      const past = await ask(() => reads.findSpend(key, ref), untraceable)
      return resume(planned, past, open?.hash)
    }
    if (state === 'pending') {
      // The transaction is a replica's, or one of a process that was killed.
      await pause(tools, planned)
      attempt -= 1
      continue
    }
    const available = await ask(() => reads.available(key))
    if (available < amountAtomic) {
      // The amount may have been reduced by this very spend, made meanwhile.
      if ((await ask(() => reads.refState(key, ref))) !== 'free') continue
      throw tooLittle(available, planned)
    }
    const outcome = await ask(() => sender.send(callData, () => refuseLate(tools, planned)))
    if (outcome.kind === 'would revert') {
      if (outcome.refusal !== 'RefUsed') throw notPermitted(planned, outcome.refusal)
    } else if (outcome.kind === 'refused') {
      const message = outcome.lacksGas
        ? 'the agent cannot pay the gas of a spend'
        : 'the chain did not take a spend'
      throw new SpendImpossible(`${message}: nothing was moved`, `${sender.address}: ${outcome.message}`)
    } else if (outcome.kind === 'sent') {
      const { sent } = outcome
      open = sent
      planned.onSent(sent.hash)
      const followed = await follow(tools, planned, sent)
      if (followed.outcome === 'open') throw unknownOutcome()
      // Another transaction has used its nonce, so it can never be in a block.
      open = undefined
      if (followed.outcome === 'in a block') {
        if (followed.receipt.succeeded) return { transaction: sent.hash, resumed: false }
        open = sent
        if ((await ask(() => reads.refState(key, ref))) === 'free')
          throw notPermitted(planned, undefined, sent.hash)
      }
      continue
    }
    await pause(tools, planned)
  }
  throw new SpendImpossible(
    `a spend of ${formatUsdc(amountAtomic)} ${symbol} could not be sent: send the job again`,
    `${MAX_ATTEMPTS} attempts, each time another transaction had the number`,
  )
}

async function follow(tools: SpendTools, planned: PlannedSpend, sent: SentTransaction) {
  const { rpc, sender, clock, stopped } = tools
  try {
    return await sendUntilMined(rpc, sent, {
      clock,
      timeoutMs: Math.max(0, planned.deadlineMs - clock.nowMs() - LAST_WORD_MS),
      // Not the handler's signal: the transaction is followed until its outcome is known, even when the handler was
      // stopped.
      signal: stopped,
    })
  } finally {
    sender.forget(sent)
  }
}

/** Following ends this long before the deadline, so that the handler gets the outcome and not only its caller. */
const LAST_WORD_MS = 100

function resume(planned: PlannedSpend, past: PastSpend | undefined, ownHash: string | undefined): Spent {
  const { symbol, amountAtomic, to } = planned
  if (past === undefined)
    throw new SpendImpossible(
      'an earlier attempt at this job made this spend, too long ago to find its transaction',
      'its event is in none of the blocks that were searched',
    )
  if (past.to === to && past.amountAtomic === amountAtomic)
    return { transaction: past.transaction, resumed: past.transaction !== ownHash }
  const was = `${formatUsdc(past.amountAtomic)} ${symbol} to ${past.to} in transaction ${past.transaction}`
  throw new InternalError(
    `an earlier attempt at this job spent ${was}, and now asks for ${formatUsdc(amountAtomic)} to ${to}: each job_id makes each of its spends once`,
  )
}

/** Repeats a question about a sent transaction until the deadline, even when the node does not answer. */
async function persist<T>(tools: SpendTools, planned: PlannedSpend, question: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await question()
    } catch (error) {
      if (isServiceError(error)) throw error
      await pause(tools, planned)
    }
  }
}

/** Waits before the chain is asked again. Throws a `DeadlineError` when the deadline would pass meanwhile. */
export async function pause(
  { clock, stopped }: SpendTools,
  { deadlineMs }: Pick<PlannedSpend, 'deadlineMs'>,
): Promise<void> {
  if (stopped.aborted || clock.nowMs() + PAUSE_MS + LAST_WORD_MS >= deadlineMs) throw unknownOutcome()
  await sleep(clock, PAUSE_MS, stopped)
}

/** Refuses a transaction whose outcome would come too late. */
function refuseLate({ clock, stopped }: SpendTools, { signal, deadlineMs }: PlannedSpend): void {
  if (signal.aborted || stopped.aborted || clock.nowMs() + LAST_WORD_MS >= deadlineMs)
    throw new DeadlineError('the job was over before a spend could be made')
}

/** The error for an unknown outcome; the job's answer adds the transaction. */
function unknownOutcome(): DeadlineError {
  return new DeadlineError('whether a spend was made was not known by the deadline')
}

function tooLittle(available: bigint, { symbol, amountAtomic }: PlannedSpend): ValidationError {
  const [has, wanted] = [available, amountAtomic].map(amount => formatUsdc(amount))
  return new ValidationError('allowance', `must be at least ${wanted} ${symbol}, is ${has} ${symbol}`)
}

/** The reasons of the contract, in words for the payer. */
const REFUSALS: { readonly [name in SpendRefusal]: string } = {
  RefUsed: 'this spend was made before',
  NotPermitted: 'this agent is not permitted to spend, or no longer',
  PermissionExpired: 'the permission has expired',
  AmountZero: 'nothing would be spent',
  AboveLimit: 'the amount is more than one transaction may spend',
  AboveCap: 'the amount is more than is left of the permission',
  RecipientNotListed: 'the recipient is not one that the permission names',
}

function notPermitted(
  { amountAtomic, symbol, to }: PlannedSpend,
  refusal: SpendRefusal | undefined,
  hash?: string,
): ValidationError {
  const why = refusal === undefined ? 'it was refused on the chain' : REFUSALS[refusal]
  const where = hash === undefined ? '' : ` (transaction ${hash}, which moved nothing)`
  return new ValidationError(
    'allowance',
    `does not cover ${formatUsdc(amountAtomic)} ${symbol} to ${to}: ${why}${where}`,
  )
}

/** Converts a missing answer of the node into a failure of this attempt; it says nothing about earlier attempts. */
export function unreachable(error: unknown): never {
  if (isServiceError(error)) throw error
  throw new SpendImpossible(
    'the chain cannot be asked what is permitted, so this attempt moved nothing: send the job again',
    error instanceof Error ? error.message : String(error),
  )
}

function untraceable(error: unknown): never {
  if (isServiceError(error)) throw error
  throw new SpendImpossible(
    'an earlier attempt at this job made this spend, and the chain cannot be asked for its transaction: send the job again',
    error instanceof Error ? error.message : String(error),
  )
}
