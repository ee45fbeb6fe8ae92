import type { JobStep, Step } from '@farebox/flows/document/flow'
import type { Graph } from '@farebox/flows/graph/graph'
import type { RunAnswer, RunJob, RunStepAnswer } from '@farebox/platform-api/flows/runs'
import type { FieldMap, JsonObject } from '@farebox/protocol/fields/field'
import type { ReactNode } from 'react'
import { nameStop } from '../../../flows/describe/name-stop.ts'
import { actionForJob, labelAction, nextAction } from '../../../flows/run-view/next-action.ts'
import type { StopView } from '../../../flows/run-view/view-stop.ts'
import { fromAtomic, toAtomic } from '../../../format/amount.ts'
import { Amount } from '../../../parts/amount.tsx'
import { Note } from '../../../parts/note.tsx'
import { Words } from '../../../parts/words.tsx'
import { ApprovalBox } from './approval-box.tsx'
import { IoRows } from './io-rows.tsx'
import { JobLine, Outcome } from './job-line.tsx'
import { hasResult } from '../run-result.tsx'
import type { RunActions } from '../use-run-actions.ts'

interface Props {
  readonly graph: Graph
  readonly run: RunAnswer
  /** Unix seconds. */
  readonly now: number
  readonly id: string
  readonly step: Step
  readonly state: RunStepAnswer | undefined
  readonly view: StopView
  readonly decimals: number
  readonly actions: RunActions
}

/** A step of a run, beside its stop: what became of it, for how much, with what in and out. */
export function StopRow(props: Props): ReactNode {
  const { graph, id, step, state, view } = props
  const isReached = view.mark.state !== 'ahead' && view.mark.state !== 'out'
  return (
    <div className={isReached ? 'route-stop' : 'route-stop unreached'} id={`step-${id}`}>
      <div className="top">
        <h3>
          <Words of={nameStop(graph.flow, id)} most={64} />{' '}
          {step.kind === 'job' && (
            <span className="mono small quiet">
              <Words of={step.capability} most={64} />
            </span>
          )}
        </h3>
        <Price {...props} />
      </div>
      {step.kind === 'job' && state !== undefined ? (
        <JobPart {...props} step={step} state={state} />
      ) : (
        <FreePart {...props} />
      )}
    </div>
  )
}

/** What a step has cost, or would: struck through where it was not charged. */
function Price({ step, state, view, decimals }: Props): ReactNode {
  if (step.kind !== 'job')
    return (
      <span className="end">
        <span className="free">free</span>
      </span>
    )
  const jobs = state?.jobs ?? []
  const paid = jobs.filter(({ payment }) => payment?.state === 'paid')
  if (paid.length > 0)
    return (
      <span className="end">
        <Amount of={sumOf(paid)} decimals={decimals} />
      </span>
    )
  const amount = jobs[0]?.payment?.amount ?? step.pinned.price
  const isNotCharged = view.mark.state === 'failed'
  return (
    <span className="end">
      <span className="free">
        {step.map !== undefined && jobs.length !== 1 && (
          <>{jobs.length === 0 ? `up to ${step.map.most}` : jobs.length} × </>
        )}
        {isNotCharged ? <s>{amount}</s> : <Amount of={amount} decimals={decimals} />}
      </span>
    </span>
  )
}

function sumOf(jobs: readonly RunJob[]): string {
  return fromAtomic(jobs.reduce((sum, { payment }) => sum + (toAtomic(payment?.amount ?? '') ?? 0n), 0n))
}

function JobPart(props: Props & { readonly step: JobStep; readonly state: RunStepAnswer }): ReactNode {
  const { id, step, state, view } = props
  const [first] = state.jobs
  const fields = { in: step.pinned.input_schema, out: listed(step) }
  const output =
    state.outputs === null ? {} : { output: { values: asObject(state.outputs), fields: fields.out } }
  const fileName = `farebox-${id}`
  if (state.state === 'failed' || state.state === 'waiting')
    return <Unordered {...props} fileName={fileName} />
  if (step.map === undefined && first !== undefined)
    return (
      <>
        <JobLine job={first} mostSeconds={step.pinned.max_deadline_seconds}>
          <Alone job={first} {...props} />
        </JobLine>
        <IoRows
          {...(first.input !== null && { input: { values: asObject(first.input), fields: fields.in } })}
          {...output}
          {...(first.error !== null && { error: first.error })}
          fileName={fileName}
          isFolded={hasResult(props.run)}
        />
        {first.job?.output_problem !== null && first.job?.output_problem !== undefined && (
          <Note tone="warn">
            <p>
              The output does not match its declaration: <Words of={first.job.output_problem} />
            </p>
          </Note>
        )}
      </>
    )
  return (
    <>
      <p className="sub">
        <Outcome of={view.words} />
      </p>
      {state.reason !== null && <IoRows error={state.reason} fileName={fileName} />}
      {state.jobs.length > 0 && (
        <details className="items" open={state.state !== 'done' && state.jobs.length <= MOST_OPEN}>
          <summary>
            {state.jobs.length} {state.jobs.length === 1 ? 'job' : 'jobs'}, one for each item
          </summary>
          <ol>
            {state.jobs.map(job => (
              <li key={job.key}>
                <JobLine job={job} mostSeconds={step.pinned.max_deadline_seconds}>
                  <Alone job={job} {...props} />
                </JobLine>
                <IoRows
                  {...(job.input !== null && { input: { values: asObject(job.input), fields: fields.in } })}
                  {...(job.error !== null && { error: job.error })}
                  fileName={fileName}
                />
              </li>
            ))}
          </ol>
        </details>
      )}
      <IoRows {...output} fileName={fileName} />
    </>
  )
}

/** A paid step of which nothing was ordered: not reached so far, or refused before anything was sent. */
function Unordered(props: Props & { readonly state: RunStepAnswer; readonly fileName: string }): ReactNode {
  const { state, view, fileName } = props
  const isSigned = state.state === 'waiting' && state.jobs.some(({ payment }) => payment?.state === 'ready')
  return (
    <>
      <p className="sub">
        <Outcome of={isSigned ? { words: 'Signed and waiting for its turn', tone: 'plain' } : view.words} />
      </p>
      {state.reason !== null && <IoRows error={state.reason} fileName={fileName} />}
    </>
  )
}

/** More items are folded at first. */
const MOST_OPEN = 12

/** What takes one job on, at the job itself. */
function Alone({ job, graph, run, now, actions }: Props & { readonly job: RunJob }): ReactNode {
  const isHalted = run.status === 'cancelled' || run.status === 'paused'
  if ((job.state !== 'failed' && job.state !== 'unpaid') || isHalted) return null
  const all = nextAction(graph.flow, run, actions.prices, now)
  const isOnly = all.sign.length + all.retry.length === 1 && [...all.sign, ...all.retry][0]?.key === job.key
  const action = actionForJob(graph.flow, run, job.key, actions.prices, now)
  const label = labelAction(action)
  if (label === undefined) return null
  return (
    <button
      type="button"
      className={isOnly ? 'button fare low' : 'link'}
      disabled={actions.busy !== undefined}
      onClick={() => actions.goOn(action)}
    >
      {label}
      <span className="unseen"> for {nameStop(graph.flow, job.key.split('#')[0] ?? '')}</span>
    </button>
  )
}

function FreePart(props: Props): ReactNode {
  const { id, step, state, view, actions } = props
  if (step.kind === 'approval' && state?.state === 'asking')
    return <ApprovalBox id={id} question={step.question} value={state.value} actions={actions} />
  return (
    <>
      <p className="sub">
        <Outcome of={view.words} />
        {step.kind === 'approval' && state?.state === 'done' && (
          <span>{Object.hasOwn(state.outputs ?? {}, 'declined') ? 'declined' : 'approved'}</span>
        )}
      </p>
      <IoRows
        {...(state?.outputs !== null &&
          state?.outputs !== undefined && { output: { values: asObject(state.outputs), fields: NO_FIELDS } })}
        {...(state?.reason !== null && state?.reason !== undefined && { error: state.reason })}
        fileName={`farebox-${id}`}
      />
    </>
  )
}

const NO_FIELDS: FieldMap = {}

/** Of jobs for items of a list, each output is a list. */
function listed({ pinned, map }: JobStep): FieldMap {
  if (map === undefined) return pinned.output_schema
  return Object.fromEntries(
    Object.entries(pinned.output_schema).map(([name, items]) => [name, { type: 'array', items }] as const),
  )
}

/** Values of a run are JSON. */
function asObject(values: { readonly [name: string]: unknown }): JsonObject {
  return values as JsonObject
}
