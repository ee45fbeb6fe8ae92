import { jobKeysOf } from '@farebox/flows/internal/document/job-key'
import type { Graph } from '@farebox/flows/graph/graph'
import { sumPayments } from '@farebox/flows/run/payments'
import type { Payment, Run } from '@farebox/flows/run/run-state'
import { statusOf } from '@farebox/flows/run/run-status'
import type { ComingJob, QuotedJob, RunPlan, SentJob } from './run-messages.ts'

/** Derives a {@link RunPlan} from the state of a run. */
export function planRun(graph: Graph, run: Run): RunPlan {
  const { status } = statusOf(graph, run)
  const quotes: QuotedJob[] = []
  const sent: SentJob[] = []
  const times: number[] = []
  for (const id of graph.order) {
    const step = graph.flow.steps[id]
    const state = Object.hasOwn(run.steps, id) ? run.steps[id] : undefined
    if (state?.state === 'sleeping') times.push(state.until)
    if (step?.kind !== 'job' || state?.state !== 'ordering') continue
    const keys = jobKeysOf(id, step)
    for (const [index, job] of state.jobs.entries()) {
      const key = keys[index] ?? id
      const of = { key, agentId: step.agent_id, capability: step.capability }
      const payment = newest(run, key)
      if (job.state === 'quoting') quotes.push(of)
      if (payment?.state !== 'sent' || (job.state !== 'sent' && job.state !== 'failed')) continue
      sent.push({
        ...of,
        jobId: payment.job_id,
        attempt: job.attempt,
        validBefore: payment.valid_before,
        state: job.state,
      })
    }
  }
  const payments = Object.values(run.payments).flat()
  const kept = payments.filter(({ state }) => state === 'ready' || state === 'sent')
  for (const { state, valid_before: end } of payments) if (state === 'ready') times.push(end)
  const isEnded = status === 'completed' || status === 'failed' || status === 'cancelled'
  return {
    status,
    control: run.control,
    isOver: isEnded && sent.length === 0,
    quotes,
    coming: findComing(graph, run),
    sent,
    kept: kept.map(({ job_id }) => job_id),
    wakeAt: times.length === 0 || isEnded ? null : Math.min(...times),
    paid: sumPayments(run).paid,
  }
}

function newest(run: Run, key: string): Payment | undefined {
  return Object.hasOwn(run.payments, key) ? run.payments[key]?.at(-1) : undefined
}

/** Jobs of lists are left out, because their number is not known in advance. */
function findComing(graph: Graph, run: Run): readonly ComingJob[] {
  if (run.control !== 'running') return []
  const coming: ComingJob[] = []
  /** For each step that will be done once certain jobs are done: these jobs. */
  const awaited = new Map<string, ReadonlySet<string>>()
  for (const id of graph.order) {
    const step = graph.flow.steps[id]
    const state = Object.hasOwn(run.steps, id) ? run.steps[id] : undefined
    if (step === undefined || state?.state === 'skipped' || state?.state === 'done') continue
    if (state?.state === 'ordering') {
      const isOneSent = state.jobs.length === 1 && state.jobs[0]?.state === 'sent'
      if (isOneSent && step.kind === 'job' && step.map === undefined) awaited.set(id, new Set([id]))
      continue
    }
    if (state !== undefined) continue
    const after = awaitedBy(graph, run, id, awaited)
    if (after === undefined) continue
    if (step.kind === 'job') {
      if (step.map !== undefined || newest(run, id)?.state !== 'ready') continue
      coming.push({ key: id, agentId: step.agent_id, capability: step.capability, after: [...after] })
    } else if (step.kind !== 'approval' && step.kind !== 'wait') awaited.set(id, after)
  }
  return coming
}

/** The jobs that a step waits for; `undefined` when it waits for anything else. */
function awaitedBy(
  graph: Graph,
  run: Run,
  id: string,
  awaited: ReadonlyMap<string, ReadonlySet<string>>,
): ReadonlySet<string> | undefined {
  const jobs = new Set<string>()
  for (const source of graph.sourcesOf(id)) {
    const state = Object.hasOwn(run.steps, source) ? run.steps[source]?.state : undefined
    if (state === 'done' || state === 'skipped') continue
    const of = awaited.get(source)
    if (of === undefined) return undefined
    for (const job of of) jobs.add(job)
  }
  return jobs.size === 0 ? undefined : jobs
}
