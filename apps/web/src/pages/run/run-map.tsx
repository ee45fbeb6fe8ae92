import { FLOW_INPUT } from '@farebox/flows/document/flow'
import type { Graph } from '@farebox/flows/graph/graph'
import type { RunAnswer } from '@farebox/platform-api/flows/runs'
import type { FieldMap, JsonObject } from '@farebox/protocol/fields/field'
import { useMemo, type ReactNode } from 'react'
import { layLanes, type RoutePiece, type RouteRow } from '../../flows/route-map/lay-lanes.ts'
import { Rail, type StopMark } from '../../flows/route-map/rail.tsx'
import { viewStop } from '../../flows/run-view/view-stop.ts'
import { longestDecimals } from '../../format/amount.ts'
import { formatDuration } from '../../format/duration.ts'
import { When } from '../../parts/when.tsx'
import { Words } from '../../parts/words.tsx'
import { IoRows } from './stop/io-rows.tsx'
import { hasResult } from './run-result.tsx'
import { StopRow } from './stop/stop-row.tsx'
import type { RunActions } from './use-run-actions.ts'

interface Props {
  readonly graph: Graph
  readonly run: RunAnswer
  readonly actions: RunActions
  /** Unix seconds. */
  readonly now: number
}

/** The map of a run: a stop for each step, and the progress along each lane. */
export function RunMap({ graph, run, actions, now }: Props): ReactNode {
  const map = useMemo(() => layLanes(graph), [graph])
  const states = new Map(run.steps.map(step => [step.step, step]))
  const { steps } = graph.flow
  const decimals = longestDecimals([
    ...Object.values(steps).flatMap(step => (step.kind === 'job' ? [step.pinned.price] : [])),
    ...run.steps.flatMap(({ jobs }) => jobs.flatMap(({ payment }) => payment?.amount ?? [])),
  ])
  const isTravelled = ({ from, to }: RoutePiece): boolean => {
    const hasCome = from === FLOW_INPUT || states.get(from)?.state === 'done'
    return hasCome && states.get(to)?.state !== 'skipped'
  }
  return (
    <section className="run-steps">
      <div className="heading">
        <h2>Steps</h2>
        <span className="end">
          <Times run={run} />
        </span>
      </div>
      <ol className={`route-map lanes-${map.lanes}`}>
        {map.rows.map(row => {
          const step = Object.hasOwn(steps, row.id) ? steps[row.id] : undefined
          const view = viewStop(step, states.get(row.id), run.status)
          const mark = step === undefined ? endMark(row, run) : view.mark
          return (
            <li key={row.id}>
              <Rail row={row} lanes={map.lanes} mark={mark} isTravelled={isTravelled} />
              {step === undefined ? (
                <EndRow row={row} graph={graph} run={run} />
              ) : (
                <StopRow
                  graph={graph}
                  run={run}
                  now={now}
                  id={row.id}
                  step={step}
                  state={states.get(row.id)}
                  view={view}
                  decimals={decimals}
                  actions={actions}
                />
              )}
            </li>
          )
        })}
      </ol>
      {map.isShared && <p className="hint">Branches that do not fit side by side share the last line.</p>}
    </section>
  )
}

function endMark({ id }: RouteRow, { status }: RunAnswer): StopMark {
  return { shape: 'round', state: id === FLOW_INPUT || status === 'completed' ? 'passed' : 'ahead' }
}

/** The run's input and output. */
function EndRow(props: {
  readonly row: RouteRow
  readonly graph: Graph
  readonly run: RunAnswer
}): ReactNode {
  const { row, graph, run } = props
  const isInput = row.id === FLOW_INPUT
  const isAbove = !isInput && hasResult(run)
  const isThere = isInput || run.status === 'completed'
  // The values of a run are JSON.
  const values = (isInput ? run.input : run.output) as JsonObject
  const fields = isInput ? graph.flow.inputs : NO_FIELDS
  const missing = isInput ? [] : graph.flow.outputs.filter(name => !Object.hasOwn(run.output, name))
  return (
    <div className={isThere ? 'route-stop' : 'route-stop unreached'}>
      <div className="top">
        <h3>{isInput ? 'Flow inputs' : 'Flow outputs'}</h3>
      </div>
      {missing.length > 0 && (
        <p className="sub">
          <span>
            {sayReady(Object.keys(run.output))}
            <Words of={missing.join(', ')} most={200} /> {missing.length === 1 ? 'is' : 'are'}{' '}
            {run.ended_at === null ? 'not available yet' : 'not returned'}
          </span>
        </p>
      )}
      {isAbove && <p className="sub">Shown above.</p>}
      {isInput && Object.keys(values).length === 0 && <p className="sub">No inputs.</p>}
      {!isAbove && (
        <IoRows
          {...(isInput ? { input: { values, fields } } : { output: { values, fields } })}
          fileName={`farebox-run-${run.run_id.slice(0, 8)}`}
        />
      )}
    </div>
  )
}

const NO_FIELDS: FieldMap = {}

function sayReady(names: readonly string[]): string {
  if (names.length === 0) return ''
  return `${names.join(', ')} ${names.length === 1 ? 'is' : 'are'} ready; `
}

/** When the run started and ended. */
function Times({ run }: { readonly run: RunAnswer }): ReactNode {
  const last = run.ended_at ?? run.changed_at
  const isStill = run.status === 'running'
  const verb = run.status === 'completed' ? 'took' : 'stopped after'
  const took = last - run.created_at
  const isTold = !isStill && took >= 0.1 && took < 3_600
  return (
    <span>
      started <When at={run.created_at} form="clock" />
      {isTold && `, ${verb} ${formatDuration(1_000 * took)}`}
      {run.kept_until !== null && (
        <>
          ; will be deleted at <When at={run.kept_until} form="clock" /> unless you pay for a step
        </>
      )}
    </span>
  )
}
