import type { Catalog } from '@farebox/flows/internal/check/catalog'
import { memo, useDeferredValue, useMemo, type ReactNode, type RefObject } from 'react'
import { groupDigits, longestDecimals } from '../../format/amount.ts'
import { formatSpan } from '../../format/duration.ts'
import { StepLimits } from '../../limits/step-limits.tsx'
import { listSpending } from '../document/list-spending.ts'
import { Amount } from '../../parts/amount.tsx'
import { usePurse } from '../../purse/purse-context.ts'
import { Sign } from '../../signs/sign.tsx'
import { nameStop } from '../describe/name-stop.ts'
import type { FlowView } from '../view/flow-view.ts'
import type { NodeView } from '../view/views.ts'
import { FindingList } from '../editing/finding-list.tsx'
import { useEditor, useFlowView } from '../editor/use-editor.ts'

/** The price and duration of a run, and the findings to fix or read before it. */
export function BeforeYouPay(props: {
  readonly heading: RefObject<HTMLHeadingElement | null>
  /** Set when the agents' current terms could not be loaded; `again` asks once more. */
  readonly stale: { readonly again: () => void } | undefined
}): ReactNode {
  const { heading, stale } = props
  return (
    <aside className="panel pre" aria-label="Before you pay">
      <Price heading={heading} />
      <div className="pre-head">
        <h2>Before you pay</h2>
      </div>
      {stale !== undefined && (
        <p className="stale small">
          The agents can’t be checked right now, so the terms saved in the flow apply.{' '}
          <button type="button" className="link" onClick={stale.again}>
            Check again
          </button>
        </p>
      )}
      <FindingList />
      <Limits />
      <Fine />
    </aside>
  )
}

function Price({ heading }: { readonly heading: RefObject<HTMLHeadingElement | null> }): ReactNode {
  const { at_least: least, at_most: most } = useFlowView(({ check }) => check.price)
  const view = useDeferredValue(useFlowView(one => one))
  return (
    <section className="sum-up">
      <h2 className="quiet" ref={heading} tabIndex={-1}>
        {least === most ? 'Cost per run' : 'Maximum cost per run'}
      </h2>
      <p className="total num">
        {groupDigits(most)} <small>USDC</small>
      </p>
      {least !== most && <p className="small quiet">from {groupDigits(least)}, depending on the branch</p>}
      <Prices view={view} />
      <Terms />
    </section>
  )
}

/** The price of each step. React renders a long list after the sum. */
const Prices = memo(function Prices({ view }: { readonly view: FlowView }): ReactNode {
  const steps = view.order.flatMap(id => {
    const node = view.nodes.get(id)
    return node === undefined || node.kind === 'input' || node.kind === 'output' ? [] : [node]
  })
  if (steps.length === 0) return null
  const paid = steps.filter(({ price }) => price !== undefined)
  const free = steps.length - paid.length
  const decimals = longestDecimals(paid.map(({ price }) => price ?? '0'))
  return (
    <ul className="prices">
      {paid.map(node => (
        <StepPrice key={node.id} node={node} decimals={decimals} />
      ))}
      {free > 0 && (
        <li className="quiet">
          <span>{free === 1 ? '1 free step' : `${free} free steps`}</span>
          <span>free</span>
        </li>
      )}
    </ul>
  )
})

const StepPrice = memo(function StepPrice(props: {
  readonly node: NodeView
  readonly decimals: number
}): ReactNode {
  const { id, name, price, job } = props.node
  const editor = useEditor()
  return (
    <li>
      <button type="button" className="link plain" onClick={() => editor.point({ step: id })}>
        <bdi>{name}</bdi>
        {job?.most !== undefined && ` × up to ${job.most}`}
      </button>
      <span className="num">
        <Amount of={price ?? '0'} decimals={props.decimals} />
      </span>
    </li>
  )
})

function Terms(): ReactNode {
  const duration = useFlowView(({ check }) => check.duration)
  const flow = useFlowView(({ graph }) => graph.flow)
  const { wallet, balance } = usePurse()
  return (
    <p className="tiny quiet">
      You sign for each step separately and pay for it only when its result is delivered.{' '}
      {describeTime(duration, flow)}
      {wallet !== undefined && (
        <>
          {' '}
          <bdi>{wallet.name}</bdi>
          {balance !== undefined && `: ${groupDigits(balance.usdc)} USDC`}.
        </>
      )}
    </p>
  )
}

function describeTime(
  { seconds, path, waits_for: waits }: FlowView['check']['duration'],
  flow: FlowView['graph']['flow'],
): string {
  if (path.length === 0) return ''
  const names = path.flatMap(id => (flow.steps[id]?.kind === 'job' ? [nameStop(flow, id)] : []))
  const along =
    names.length === 0
      ? ''
      : `. The slowest path is ${names.slice(0, 3).join(', ')}${names.length > 3 ? ` and ${names.length - 3} more` : ''}`
  const people = waits.includes('person') ? ' Waiting for approval takes additional time.' : ''
  const times = waits.includes('time') ? ' Waiting until a set time takes additional time.' : ''
  return `A run takes up to ${formatSpan(seconds)}${along}.${people}${times}`
}

/** The amounts of the reader's tokens that steps are permitted to move. */
function Limits(): ReactNode {
  const { catalog } = useEditor()
  // The deferred view changes whenever the catalog has learned something.
  const view = useDeferredValue(useFlowView(one => one))
  const steps = useMemo(() => listSpending(view.graph.flow, catalog), [view, catalog])
  return <StepLimits steps={steps} />
}

/** The checks that passed. */
function Fine(): ReactNode {
  const { catalog } = useEditor()
  const view = useDeferredValue(useFlowView(one => one))
  const fine = useMemo(() => describeFine(view, catalog), [view, catalog])
  return (
    <ul className="findings">
      {fine.map(([title, words]) => (
        <li key={title} className="finding fine">
          <Sign name="check" />
          <b>
            <bdi>{title}</bdi>
          </b>
          {words !== '' && (
            <p className="quiet">
              <bdi>{words}</bdi>
            </p>
          )}
        </li>
      ))}
    </ul>
  )
}

const MOST_CONVERTED = 4

type Line = readonly [title: string, words: string]

function describeFine({ check, wires, graph }: FlowView, catalog: Catalog): readonly Line[] {
  const steps = Object.values(graph.flow.steps)
  if (steps.length === 0) return []
  const has = (...rules: readonly string[]): boolean =>
    check.findings.some(({ id }) => rules.includes(id.split(' ')[0] ?? ''))
  const converted = wires.filter(({ grade }) => grade === 'safe')
  const lines: Line[] = converted
    .slice(0, MOST_CONVERTED)
    .map(({ from, to, reason, tag }) => [
      tag === 'as text'
        ? `“${from.port}” will be converted to text`
        : `“${from.port}” will be converted for “${to.port}”`,
      `${reason.slice(0, 1).toUpperCase()}${reason.slice(1)}.`,
    ])
  if (converted.length > MOST_CONVERTED)
    lines.push([`${converted.length - MOST_CONVERTED} more conversions`, ''])
  if (!has('circle', 'unfed')) lines.push(['No cycles, and every required input has a source', ''])
  const jobs = steps.filter(step => step.kind === 'job')
  const isAsked = jobs.every(step => catalog.find(step.agent_id, step.capability) !== undefined)
  if (jobs.length === 0 || !isAsked) return lines
  if (!has('gone', 'unreachable', 'offline', 'closed'))
    lines.push([jobs.length === 1 ? 'The agent is online' : 'All agents are online', ''])
  if (!has('permission')) lines.push(['No permissions requested', ''])
  return lines
}
