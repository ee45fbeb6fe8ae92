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

/** What the spends of a job are made with, for its capability and its payer. */
export interface JobSpendingParts extends SpendTools {
  readonly crypto: Pick<EvmCrypto, 'keccak256'>
  readonly log: Log
  /** Rejects where the node is one of another chain. */
  readonly checkChain: () => Promise<void>
  readonly bound: SpendBound
  readonly key: PermissionKey
}

/** Their refs differ in the last byte, which the contract keeps in one slot. */
const MAX_SPENDS = 256

/** A transaction that moved something, or may have. */
interface Movement {
  readonly what: string
  isMined: boolean
}

/** The spends of one run of a handler. */
interface Spends extends JobSpendingParts {
  readonly job: SpendingJob
  /** Those that have not ended. */
  readonly underWay: Set<Promise<unknown>>
  /** By transaction. */
  readonly movements: Map<string, Movement>
  calls: number
  isUnknown: boolean
}

/** Makes what one run of a handler spends with. Its calls are numbered: a retry that makes the same ones makes no new spends. */
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
  // A handler that does not wait for it is not to be ended by it: the job is given its failure when it ends.
  const over = (): void => void underWay.delete(logged)
  logged.then(over, over)
  return logged
}

/** What may be spent now, as a decimal string. */
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

/** The same for a retry, and for no other job or call: in the last byte the call's number, a hash of the job before it. */
function refOf({ keccak256 }: Pick<EvmCrypto, 'keccak256'>, jobId: string, index: number): bigint {
  const hash = keccak256(new TextEncoder().encode(jobIdKey(jobId)))
  return ((BigInt(toHex(hash)) >> 8n) << 8n) | BigInt(index)
}

async function checkNode({ checkChain }: JobSpendingParts): Promise<void> {
  await checkChain().catch(unreachable)
}
