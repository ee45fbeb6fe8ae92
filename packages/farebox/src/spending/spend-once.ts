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

/** One spend of one job. */
export interface PlannedSpend extends SpendTerms {
  readonly key: PermissionKey
  /** As declared, for messages. */
  readonly symbol: string
  readonly ref: bigint
  /** Unix milliseconds: until then it is followed. */
  readonly deadlineMs: number
  /** Aborts when nothing more may be begun. */
  readonly signal: AbortSignal
  /** Called for each transaction that may move something, before its outcome is known. */
  readonly onSent: (transaction: string) => void
}

/** What a spend is made with. */
export interface SpendTools {
  readonly rpc: Pick<JsonRpc, 'call'>
  readonly reads: PermissionReads
  readonly sender: SpendSender
  readonly clock: Clock
  /** Aborts when the agent stops: what is not known by then, the next process asks for. */
  readonly stopped: AbortSignal
}

/** The node did not do its part; what it said is for the log. Nothing of this attempt was sent. */
export class SpendImpossible extends InternalError {
  readonly logText: string

  constructor(message: string, logText: string) {
    super(message)
    this.logText = logText
  }
}

/** Nonces collide, and transactions die, where replicas spend with one key at one time. */
const MAX_ATTEMPTS = 20
const PAUSE_MS = 250

/**
 * Makes a spend, or finds that it was made: its ref can be used once, by any process and after any earlier attempt.
 * Resolves when it is in a block.
 *
 * Throws a `ValidationError` where the payer does not permit it, a `DeadlineError` where its outcome is not known at the
 * deadline, and a {@link SpendImpossible} where it cannot be sent.
 */
export async function spendOnce(tools: SpendTools, planned: PlannedSpend): Promise<Spent> {
  const { reads, sender } = tools
  const { key, ref, amountAtomic, symbol, to } = planned
  const { owner, token, scope } = key
  const callData = encodeSpend({ owner, token, scope, to, amount: amountAtomic, ref })
  /** What this attempt sent last, its outcome unknown. */
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
      // A replica's, or one of a process that was killed.
      await pause(tools, planned)
      attempt -= 1
      continue
    }
    const available = await ask(() => reads.available(key))
    if (available < amountAtomic) {
      // What is known meanwhile may be this very spend.
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
      // Another transaction has its number: it can never be in a block.
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
      // Not the handler's: it is followed until its outcome is known, also where that was stopped.
      signal: stopped,
    })
  } finally {
    sender.forget(sent)
  }
}

/** Before the deadline, so that the handler gets the outcome of its spend, and not only its caller. */
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

/** What was sent is asked about until the deadline, however often the node is silent. */
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

/** Waits a moment before the chain is asked again. Throws a `DeadlineError` where the deadline is nearer than that. */
export async function pause(
  { clock, stopped }: SpendTools,
  { deadlineMs }: Pick<PlannedSpend, 'deadlineMs'>,
): Promise<void> {
  if (stopped.aborted || clock.nowMs() + PAUSE_MS + LAST_WORD_MS >= deadlineMs) throw unknownOutcome()
  await sleep(clock, PAUSE_MS, stopped)
}

/** Nothing is begun that nobody waits for. */
function refuseLate({ clock, stopped }: SpendTools, { signal, deadlineMs }: PlannedSpend): void {
  if (signal.aborted || stopped.aborted || clock.nowMs() + LAST_WORD_MS >= deadlineMs)
    throw new DeadlineError('the job was over before a spend could be made')
}

/** The job's answer names the transaction. */
function unknownOutcome(): DeadlineError {
  return new DeadlineError('whether a spend was made was not known by the deadline')
}

function tooLittle(available: bigint, { symbol, amountAtomic }: PlannedSpend): ValidationError {
  const [has, wanted] = [available, amountAtomic].map(amount => formatUsdc(amount))
  return new ValidationError('allowance', `must be at least ${wanted} ${symbol}, is ${has} ${symbol}`)
}

/** What the payer permits, in words for the payer. */
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

/** Turns what a node did not answer into a failure of this attempt; of an earlier one nothing is said. */
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
