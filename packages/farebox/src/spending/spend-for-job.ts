import type { PermissionKey } from '@farebox/contracts/permission-typed-data'
import type { EvmCrypto } from '@farebox/payments/crypto/evm-crypto'
import { toHex } from '@farebox/payments/internal/crypto/bytes'
import { DeadlineError, InternalError } from '@farebox/protocol/errors/service-errors'
import { jobIdKey } from '@farebox/protocol/job/job-request'
import { formatUsdc } from '@farebox/protocol/money/usdc'
import type { Spent } from '../handlers.ts'
import type { JobSpending, SpendingJob } from '../handler/job-spending.ts'
import type { Log } from '../log.ts'
import { readAllowance } from './read-allowance.ts'
import { SpendImpossible, spendOnce, unreachable, type SpendTools } from './spend-once.ts'
import { checkSpendOrder, type SpendBound } from './spend-terms.ts'

/** The parts that the spends of a job need, for its capability and its payer. */
export interface JobSpendingParts extends SpendTools {
  readonly crypto: Pick<EvmCrypto, 'keccak256'>
  readonly log: Log
  /** Rejects when the node is for another chain. */
  readonly checkChain: () => Promise<void>
  readonly bound: SpendBound
  readonly key: PermissionKey
}

/** The refs of a job differ only in the last byte, so that the contract stores their flags in one slot. */
const MAX_SPENDS = 256

/** A transaction that moved tokens, or may have moved them. */
interface Movement {
  readonly what: string
  isMined: boolean
}

/** The state of the spends in one run of a handler. */
interface Spends extends JobSpendingParts {
  readonly job: SpendingJob
  /** Spends that have not ended. */
  readonly underWay: Set<Promise<unknown>>
  /** By transaction hash. */
  readonly movements: Map<string, Movement>
  calls: number
  isUnknown: boolean
}

/**
 * Makes the spending of one run of a handler. Its calls are numbered, so that a retry with the same calls makes no new
 * spends.
 */
export function spendForJob(parts: JobSpendingParts, job: SpendingJob): JobSpending {
  const spends: Spends = {
    ...parts,
    job,
    underWay: new Set(),
    movements: new Map(),
    calls: 0,
    isUnknown: false,
  }
  return {
    allowance: () => track(spends, readAllowed(spends)),
    spend(order) {
      const index = spends.calls
      spends.calls += 1
      return track(spends, makeSpend(spends, order, index))
    },
    async settled() {
      while (spends.underWay.size > 0) await Promise.allSettled(spends.underWay)
      if (spends.isUnknown) throw new DeadlineError('whether a spend was made was not known by the deadline')
    },
    describe: () => describeMovements(spends.movements),
  }
}

function track<T>({ log, job, underWay }: Spends, work: Promise<T>): Promise<T> {
  const logged = work.catch((error: unknown) => {
    if (error instanceof SpendImpossible)
      log.warn('a spend could not be made', { job: job.jobId, reason: error.logText })
    throw error
  })
  underWay.add(logged)
  // Prevents an unhandled rejection when the handler does not await the spend; the job gets the failure when it ends.
  const over = (): void => void underWay.delete(logged)
  logged.then(over, over)
  return logged
}

/** The amount that may be spent now, as a decimal string. */
async function readAllowed(spends: Spends): Promise<string> {
  const { crypto, bound, key, job } = spends
  const available = await checkNode(spends)
    .then(() => {
      const ref = refOf(crypto, job.jobId, spends.calls)
      return readAllowance(spends, { key, ref, deadlineMs: job.deadline.atMs })
    })
    .catch(unreachable)
  return formatUsdc(available < bound.maxAtomic ? available : bound.maxAtomic)
}

async function makeSpend(spends: Spends, order: unknown, index: number): Promise<Spent> {
  const { crypto, log, bound, key, job, movements } = spends
  if (index >= MAX_SPENDS) throw new InternalError(`a job makes ${MAX_SPENDS} spends at most`)
  const terms = checkSpendOrder(crypto, order, bound)
  const amount = formatUsdc(terms.amountAtomic)
  const what = `${amount} ${bound.symbol} to ${terms.to}`
  const sent: string[] = []
  await checkNode(spends)
  try {
    const spent = await spendOnce(spends, {
      ...terms,
      key,
      symbol: bound.symbol,
      ref: refOf(crypto, job.jobId, index),
      deadlineMs: job.deadline.atMs,
      signal: job.aborter.signal,
      onSent(hash) {
        sent.push(hash)
        movements.set(hash, { what, isMined: false })
      },
    })
    const { transaction, resumed } = spent
    for (const hash of sent) movements.delete(hash)
    movements.set(transaction, { what, isMined: true })
    const fields = { amount, token: bound.symbol, to: terms.to, transaction }
    log.job(resumed ? 'spent before' : 'spent', job.jobId, fields)
    return spent
  } catch (error) {
    if (error instanceof DeadlineError) {
      spends.isUnknown ||= sent.length > 0
      const transaction = sent.at(-1)
      if (transaction !== undefined) log.job('spend unknown', job.jobId, { what, transaction })
    } else for (const hash of sent) movements.delete(hash)
    throw error
  }
}

function describeMovements(movements: Spends['movements']): string | undefined {
  if (movements.size === 0) return undefined
  const described = [...movements].map(
    ([transaction, { what, isMined }]) =>
      `${isMined ? 'moved' : 'may have moved'} ${what} in transaction ${transaction}`,
  )
  return `the job ${described.join(', and ')}: the same job_id again does not move that twice`
}

/**
 * The ref of a spend, the same for a retry and unique to the job and call: a hash of the job_id, with the call's number
 * in the last byte.
 */
function refOf({ keccak256 }: Pick<EvmCrypto, 'keccak256'>, jobId: string, index: number): bigint {
  const hash = keccak256(new TextEncoder().encode(jobIdKey(jobId)))
  return ((BigInt(toHex(hash)) >> 8n) << 8n) | BigInt(index)
}

async function checkNode({ checkChain }: JobSpendingParts): Promise<void> {
  await checkChain().catch(unreachable)
}
