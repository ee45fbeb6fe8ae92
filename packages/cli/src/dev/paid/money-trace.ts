import { printable } from '@farebox/conformance/internal/printable'
import type * as MoneyLines from '@farebox/local/internal/money-lines'
import { formatUsdc } from '@farebox/protocol/money/usdc'
import type { JobEvent } from '../messages/messages.ts'
import { type JobTrouble, readJobStep } from './read-job-step.ts'

/** The data of a settled job on the chain; amounts in atomic units. */
export interface SettledOnChain {
  readonly blockNumber: bigint | undefined
  readonly payerAtomic: bigint
  readonly agentAtomic: bigint
}

export interface MoneyTraceOptions {
  /** The module `@farebox/local/internal/money-lines`, which is loaded only when it is installed. */
  readonly lines: typeof MoneyLines
  /** Formats an address as everywhere else: with its checksum. */
  readonly spell: (address: string) => string
  /** Called once for each settled job. */
  readonly readSettled: (transaction: string, payer: string) => Promise<SettledOnChain>
}

/** Receives the events of all jobs as they occur, and returns the lines to print: none until a job has ended. */
export type MoneyTrace = (event: JobEvent) => Promise<readonly string[]> | readonly string[]

interface OpenJob {
  readonly id: string
  readonly capability: string
  /** The number of requests not answered yet, according to the log: a repeat joins the running job (D23). */
  readonly calls: number
  readonly calledAtMs: number
  readonly verified?: { readonly payer: string; readonly amountAtomic: bigint; readonly tookMs: number }
  readonly ran?: { readonly tookMs: number; readonly atMs: number }
  /** What was already shown: that the charge is uncertain, or that the job failed. */
  readonly told?: 'pending' | 'failed'
}

/** Jobs whose end is not logged, mainly repeats answered from the store, are dropped beyond this number. */
const MAX_OPEN_JOBS = 1_000

/**
 * Creates the trace of `farebox dev --paid`: for each paid job, its money step by step, with the balances of both wallets
 * at the end; for each failed job, the reason and that nothing was charged.
 */
export function createMoneyTrace(options: MoneyTraceOptions): MoneyTrace {
  const jobs = new Map<string, OpenJob>()
  const keep = (key: string, job: OpenJob): readonly [] => {
    jobs.set(key, job)
    const [oldest] = jobs.keys()
    if (jobs.size > MAX_OPEN_JOBS && oldest !== undefined) jobs.delete(oldest)
    return []
  }
  return event => {
    const step = readJobStep(event)
    if (step === undefined) return []
    const [key, { atMs }] = [event.jobId.toLowerCase(), event]
    const known = jobs.get(key)
    // A failed job has no more events until it is retried.
    const isAnew = known === undefined || (known.told === 'failed' && step.kind === 'called')
    const job = isAnew ? startOf(event) : known
    switch (step.kind) {
      case 'called':
        return keep(key, { ...job, capability: step.capability, calls: job.calls + 1 })
      case 'verified':
        return keep(key, { ...job, verified: { ...step, tookMs: atMs - job.calledAtMs } })
      case 'ran':
        return keep(key, { ...job, ran: { tookMs: step.tookMs, atMs } })
      case 'settled':
        jobs.delete(key)
        return tellSettled(options, job, step.transaction, atMs)
      case 'refused':
        if (job.calls > 1) keep(key, { ...job, calls: job.calls - 1 })
        else jobs.delete(key)
        return tellTrouble(options, job, step)
      case 'failed':
      case 'pending':
        keep(key, { ...job, told: step.kind })
        return job.told === step.kind ? [] : tellTrouble(options, job, step)
    }
  }
}

function startOf({ jobId, atMs }: JobEvent): OpenJob {
  return { id: jobId, capability: '', calls: 0, calledAtMs: atMs }
}

async function tellSettled(
  options: MoneyTraceOptions,
  job: OpenJob,
  transaction: string,
  atMs: number,
): Promise<readonly string[]> {
  const { lines, readSettled } = options
  const { verified, ran } = job
  const payer = verified?.payer
  // The money has moved, whether or not the chain can be read now.
  const chain = payer === undefined ? undefined : await readSettled(transaction, payer).catch(() => undefined)
  const tookMs = ran === undefined ? undefined : atMs - ran.atMs
  const told = [
    ...opening(options, job),
    ...(ran === undefined ? [] : [lines.ranLine('input and output valid', ran.tookMs)]),
    lines.settledLine(printable(transaction), chain?.blockNumber, tookMs),
  ]
  if (chain === undefined || verified === undefined) return told
  const { amountAtomic } = verified
  const wallets = lines.balancesLine(
    { whose: 'payer', balanceAtomic: chain.payerAtomic, changeAtomic: -amountAtomic },
    { whose: 'agent', balanceAtomic: chain.agentAtomic, changeAtomic: amountAtomic },
  )
  return [...told, wallets]
}

function tellTrouble(options: MoneyTraceOptions, job: OpenJob, step: JobTrouble): readonly string[] {
  const { lines } = options
  const trouble = lines.moneyLine(printable(step.status), step.kind, printable(step.reason))
  // A handler's typed error is logged first with its own message, then with the response.
  if (job.told === 'failed') return [trouble]
  // The job that a refused request wanted to join continues and may be charged.
  const isCertain = step.kind === 'failed' || (step.kind === 'refused' && job.calls <= 1)
  return [...opening(options, job), trouble, ...(isCertain ? [lines.moneyLine('', '', 'not charged')] : [])]
}

/** The first line of a job: its name, and the payer whose payment is held. */
function opening({ lines, spell }: MoneyTraceOptions, job: OpenJob): readonly string[] {
  const { id, capability, verified } = job
  const name = [capability, lines.shortHex(id)].filter(part => part !== '').join(' · ')
  const first = lines.moneyLine('', 'job', printable(name))
  if (verified === undefined) return [first]
  const amount = formatUsdc(verified.amountAtomic, { decimals: 6 })
  const held = `${amount} USDC from ${lines.shortHex(spell(verified.payer))}, held`
  return [first, lines.verifiedLine(held, verified.tookMs)]
}
