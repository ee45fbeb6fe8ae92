import { parseTraceparent, type Trace } from '@farebox/protocol/internal/trace/traceparent'
import type { Authorization } from '@farebox/payments/authorization/eip-3009'
import type { JobFault } from '../../reputation/judge-fault.ts'
import type { AnswerState, JobState, PaymentStatus } from './states.ts'

/** The kind of a job: ordered by a caller, or the platform's own daily job. */
export type JobKind = 'caller' | 'canary'

/** A job as the platform stores it. */
export interface JobRow {
  /** Lower case. */
  readonly jobId: string
  /** The run of a flow that ordered it; `undefined` when the payer ordered it directly. */
  readonly runId: string | undefined
  readonly agentId: number
  readonly capability: string
  readonly kind: JobKind
  /** Lower-case address, like all addresses here. */
  readonly payer: string
  readonly payTo: string
  readonly amountAtomic: bigint
  /** The trace of the order; undefined when it was ordered before traces were kept. */
  readonly trace: Trace | undefined
  readonly network: string
  readonly asset: string
  /** The authorization without its signature. */
  readonly authorization: Authorization
  readonly state: JobState
  /** Whether it was marked expired before its last change (D35). */
  readonly hasExpired: boolean
  readonly answer: AnswerState
  readonly payment: PaymentStatus
  /** Whether the agent is not asked any more, whatever it answered. */
  readonly askingOver: boolean
  /** The base URL that the job is sent to. */
  readonly endpoint: string
  readonly maxDeadlineSeconds: number
  /** Unix seconds, as in the request body. */
  readonly deadline: number
  readonly inputHash: string
  /** The payment as encrypted by `PaymentSeal`; `undefined` once it is used or dead. */
  readonly sealedPayment: string | undefined
  readonly errorType: string | undefined
  readonly error: string | undefined
  readonly createdAtMs: number
  /** 1 for the first attempt, increased by each retry. */
  readonly attempt: number
  /** When this attempt was ordered. */
  readonly orderedAtMs: number
  /** Whether the agent may have kept a response to the input of an earlier attempt. */
  readonly keepsInput: boolean
  readonly expiresAtMs: number
  /** When it was completed or failed. */
  readonly finishedAtMs: number | undefined
  /** Milliseconds from the order of this attempt to the agent's final answer. */
  readonly elapsedMs: number | undefined
  readonly paidAtMs: number | undefined
  readonly transaction: string | undefined
  /** The block that contains the transfer. */
  readonly blockNumber: number | undefined
  /** The delivered response, unchanged. Only `readJob` reads it; otherwise, and after its deletion, `undefined`. */
  readonly responseBody: string | undefined
  /** The bytes to send. Read and deleted like the response. */
  readonly requestBody: string | undefined
  /** The agent's current name; only `readJob` reads it. */
  readonly agentName: string | undefined
  readonly outputHash: string | undefined
  readonly outputProblem: string | undefined
  /** Unix seconds, as stated by the agent. */
  readonly completedAt: number | undefined
  readonly chargedWithoutDelivery: boolean
  readonly contentsDeletedAtMs: number | undefined
  readonly receipt: string | undefined
  readonly tokenHashes: readonly string[]
  /** When it is due again; `undefined` when no work is left. */
  readonly nextDueAtMs: number | undefined
  readonly sendings: number
  readonly foreignAnswers: number
  /** When the first sending began that was seen to its end. */
  readonly firstAskedAtMs: number | undefined
  /** Whether one of the sendings seen to their end left the agent its fair time. */
  readonly hadFairTime: boolean
  /** Whether the signed payment may have reached a server. */
  readonly hasLeft: boolean
  /** Whether the newest sending got the documented "not now" answer of an agent. */
  readonly isPutOff: boolean
  /** Who was at fault when it failed; `undefined` when it did not fail or was not judged yet. */
  readonly fault: JobFault | undefined
}

/** A row of the table `jobs` as the database driver returns it. */
export interface JobColumns {
  readonly job_id: string
  readonly run_id: string | null
  readonly agent_id: string
  readonly capability: string
  readonly kind: JobKind
  readonly payer: string
  readonly pay_to: string
  readonly amount_atomic: string
  readonly traceparent: string | null
  readonly network: string
  readonly asset: string
  readonly nonce: string
  readonly valid_after: string
  readonly valid_before: string
  readonly state: JobState
  readonly has_expired: boolean
  readonly answer: AnswerState
  readonly payment: PaymentStatus
  readonly asking_over: boolean
  readonly endpoint: string
  readonly max_deadline_seconds: number
  readonly deadline: number
  readonly input_hash: string
  readonly sealed_payment: string | null
  readonly error_type: string | null
  readonly error: string | null
  readonly created_at: Date
  readonly attempt: number
  readonly retried_at: Date | null
  readonly keeps_input: boolean
  readonly expires_at: Date
  readonly finished_at: Date | null
  readonly elapsed_ms: number | null
  readonly paid_at: Date | null
  readonly transaction: string | null
  readonly block_number: string | null
  /** Not in {@link JOB_COLUMNS}; selected only to show the job. */
  readonly response_body?: Buffer | null
  readonly request_body?: Buffer | null
  readonly agent_name?: string | null
  readonly output_hash: string | null
  readonly output_problem: string | null
  readonly completed_at: number | null
  readonly charged_without_delivery: boolean
  readonly contents_deleted_at: Date | null
  readonly receipt: string | null
  readonly token_hashes: readonly string[]
  readonly next_look_at: Date | null
  readonly sendings: number
  readonly foreign_answers: number
  readonly first_asked_at: Date | null
  readonly had_fair_time: boolean
  readonly has_left: boolean
  readonly put_off: boolean
  readonly fault: JobFault | null
}

/**
 * The columns of {@link JobColumns}, for a `select` or a `returning`. Without input and output, because jobs are read far
 * more often than these are needed, and they may have megabytes.
 */
export const JOB_COLUMNS = `job_id, run_id, agent_id, capability, kind, payer, pay_to, amount_atomic, traceparent, network, asset, nonce,
  valid_after, valid_before, state, has_expired, answer, payment, asking_over, endpoint, max_deadline_seconds,
  deadline, input_hash,
  sealed_payment, error_type, error, created_at, attempt, retried_at, keeps_input, expires_at, finished_at, elapsed_ms, paid_at,
  transaction, block_number, output_hash, output_problem, completed_at, charged_without_delivery, contents_deleted_at, receipt, token_hashes, next_look_at,
  sendings, foreign_answers, first_asked_at, had_fair_time, has_left, put_off, fault`

/** Converts a row of the database driver to a {@link JobRow}. */
export function toJobRow(columns: JobColumns): JobRow {
  return {
    jobId: columns.job_id,
    runId: columns.run_id ?? undefined,
    agentId: Number(columns.agent_id),
    capability: columns.capability,
    kind: columns.kind,
    payer: columns.payer,
    payTo: columns.pay_to,
    amountAtomic: BigInt(columns.amount_atomic),
    trace: parseTraceparent(columns.traceparent ?? undefined),
    network: columns.network,
    asset: columns.asset,
    authorization: toAuthorization(columns),
    state: columns.state,
    hasExpired: columns.has_expired,
    answer: columns.answer,
    payment: columns.payment,
    askingOver: columns.asking_over,
    endpoint: columns.endpoint,
    maxDeadlineSeconds: columns.max_deadline_seconds,
    deadline: columns.deadline,
    inputHash: columns.input_hash,
    sealedPayment: columns.sealed_payment ?? undefined,
    errorType: columns.error_type ?? undefined,
    error: columns.error ?? undefined,
    createdAtMs: columns.created_at.getTime(),
    attempt: columns.attempt,
    orderedAtMs: (columns.retried_at ?? columns.created_at).getTime(),
    keepsInput: columns.keeps_input,
    expiresAtMs: columns.expires_at.getTime(),
    finishedAtMs: columns.finished_at?.getTime(),
    elapsedMs: columns.elapsed_ms ?? undefined,
    paidAtMs: columns.paid_at?.getTime(),
    transaction: columns.transaction ?? undefined,
    blockNumber: columns.block_number === null ? undefined : Number(columns.block_number),
    responseBody: columns.response_body?.toString('utf8'),
    requestBody: columns.request_body?.toString('utf8'),
    agentName: columns.agent_name ?? undefined,
    outputHash: columns.output_hash ?? undefined,
    outputProblem: columns.output_problem ?? undefined,
    completedAt: columns.completed_at ?? undefined,
    chargedWithoutDelivery: columns.charged_without_delivery,
    contentsDeletedAtMs: columns.contents_deleted_at?.getTime(),
    receipt: columns.receipt ?? undefined,
    tokenHashes: columns.token_hashes,
    nextDueAtMs: columns.next_look_at?.getTime(),
    sendings: columns.sendings,
    foreignAnswers: columns.foreign_answers,
    firstAskedAtMs: columns.first_asked_at?.getTime(),
    hadFairTime: columns.had_fair_time,
    hasLeft: columns.has_left,
    isPutOff: columns.put_off,
    fault: columns.fault ?? undefined,
  }
}

function toAuthorization(columns: JobColumns): Authorization {
  return {
    from: columns.payer,
    to: columns.pay_to,
    value: columns.amount_atomic,
    validAfter: columns.valid_after,
    validBefore: columns.valid_before,
    nonce: columns.nonce,
  }
}
