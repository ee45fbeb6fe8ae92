import { parseTraceparent, type Trace } from '@farebox/protocol/internal/trace/traceparent'
import type { RunPlan, StoredRun } from '../../checking/run-messages.ts'

/** A run as stored by the platform. */
export interface RunRow extends StoredRun {
  readonly runId: string
  /** Lower-case address; undefined when no payment was added. */
  readonly payer: string | undefined
  /** Salted hash of the address it was started from; undefined once something of it was paid. */
  readonly startedFrom: string | undefined
  /** Whether it was started by a caller who was signed in. */
  readonly hasAccount: boolean
  readonly flowId: string | undefined
  readonly name: string
  /** The trace of all its jobs; undefined when it was started before traces were kept. */
  readonly trace: Trace | undefined
  readonly revision: number
  readonly news: number
  readonly plan: RunPlan
  readonly createdAtMs: number
  readonly changedAtMs: number
  readonly endedAtMs: number | undefined
}

/** A row of the table `runs` as returned by the database driver. */
export interface RunColumns {
  readonly run_id: string
  readonly payer: string | null
  readonly started_from: string | null
  readonly has_account: boolean
  readonly flow_id: string | null
  readonly name: string
  readonly traceparent: string | null
  readonly flow: string
  readonly input: string
  readonly max_total: string
  readonly state: string
  readonly revision: string
  readonly news: string
  readonly plan: RunPlan
  readonly created_at: Date
  readonly changed_at: Date
  readonly ended_at: Date | null
}

/** The columns of {@link RunColumns}. */
export const RUN_COLUMNS = `run_id, payer, started_from, has_account, flow_id, name, traceparent, flow, input, max_total, state, revision, news, plan,
  created_at, changed_at, ended_at`

/** Converts a row of the table `runs`. */
export function toRunRow(columns: RunColumns): RunRow {
  return {
    runId: columns.run_id,
    payer: columns.payer ?? undefined,
    startedFrom: columns.started_from ?? undefined,
    hasAccount: columns.has_account,
    flowId: columns.flow_id ?? undefined,
    name: columns.name,
    trace: parseTraceparent(columns.traceparent ?? undefined),
    flow: columns.flow,
    input: columns.input,
    maxTotal: columns.max_total,
    state: columns.state,
    revision: Number(columns.revision),
    news: Number(columns.news),
    plan: columns.plan,
    createdAtMs: columns.created_at.getTime(),
    changedAtMs: columns.changed_at.getTime(),
    endedAtMs: columns.ended_at?.getTime(),
  }
}

/**
 * The origin under which a run takes turns with others: the address it was started from until something of it is paid,
 * then its payer. A payment that was only added costs nothing, so it does not change the origin.
 */
export function originOf({
  payer,
  startedFrom,
  runId,
}: Pick<RunRow, 'payer' | 'startedFrom' | 'runId'>): string {
  return startedFrom ?? payer ?? runId
}

/** The size of a stored run, in characters. */
export function sizeOfRun({ flow, input, state }: Pick<RunRow, 'flow' | 'input' | 'state'>): number {
  return flow.length + input.length + state.length
}
