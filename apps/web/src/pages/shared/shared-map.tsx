import { FLOW_INPUT, FLOW_OUTPUT } from '@farebox/flows/document/flow'
import type { Graph } from '@farebox/flows/graph/graph'
import { useMemo, type ReactNode } from 'react'
import { describeValue } from '../../flows/describe/describe-value.ts'
import { nameStop } from '../../flows/describe/name-stop.ts'
import { layLanes } from '../../flows/route-map/lay-lanes.ts'
import { Rail } from '../../flows/route-map/rail.tsx'
import { longestDecimals } from '../../format/amount.ts'
import { Amount } from '../../parts/amount.tsx'
import { Heading } from '../../parts/page/heading.tsx'
import { Words } from '../../parts/words.tsx'
import { TypeShape } from '../../signs/type-shape.tsx'

/** A flow in words: every stop with the sources of its inputs, next to the map of the flow. */
export function SharedMap({ graph }: { readonly graph: Graph }): ReactNode {
  const map = useMemo(() => layLanes(graph), [graph])
  const { flow } = graph
  const decimals = longestDecimals(
    Object.values(flow.steps).flatMap(step => (step.kind === 'job' ? [step.pinned.price] : [])),
  )
  return (
    <section>
      <Heading end="USDC">Steps</Heading>
      <ol className={`route-map lanes-${map.lanes}`}>
        {map.rows.map(row => {
          const step = Object.hasOwn(flow.steps, row.id) ? flow.steps[row.id] : undefined
          return (
            <li key={row.id}>
              <Rail
                row={row}
                lanes={map.lanes}
                mark={{
                  shape: step === undefined || step.kind === 'job' ? 'round' : 'square',
                  state: 'passed',
                }}
                isTravelled={() => true}
              />
              <div className="route-stop">
                <div className="top">
                  <h3>
                    <Words of={nameStop(flow, row.id)} most={64} />{' '}
                    {step?.kind === 'job' && (
                      <span className="mono small quiet">
                        <Words of={step.capability} most={64} />
                      </span>
                    )}
                  </h3>
                  <span className="end">
                    {step?.kind === 'job' ? (
                      <>
                        {step.map !== undefined && <span className="each">up to {step.map.most} × </span>}
                        <Amount of={step.pinned.price} decimals={decimals} />
                      </>
                    ) : (
                      step !== undefined && <span className="free">free</span>
                    )}
                  </span>
                </div>
                <Feeds graph={graph} id={row.id} />
              </div>
            </li>
          )
        })}
      </ol>
      {map.isShared && <p className="hint">Branches that do not fit side by side share the last line.</p>}
    </section>
  )
}

/** The source of each input of a stop. */
function Feeds({ graph, id }: { readonly graph: Graph; readonly id: string }): ReactNode {
  const { flow } = graph
  if (id === FLOW_INPUT)
    return (
      <p className="sub">
        {Object.entries(flow.inputs).map(([name, { type, required }]) => (
          <span key={name}>
            <TypeShape type={type} /> <Words of={name} most={64} />
            {required === true ? ', required' : ''}
          </span>
        ))}
      </p>
    )
  const constants = flow.steps[id]?.constants ?? {}
  const fed = graph.inputsOf(id).flatMap(({ name }) => {
    const wire = graph.wireTo({ step: id, port: name })
    if (wire !== undefined) {
      const source = wire.from.step === FLOW_INPUT ? 'the input' : nameStop(flow, wire.from.step)
      return [[name, `from ${source}, ${wire.from.port}`] as const]
    }
    const constant = Object.hasOwn(constants, name) ? constants[name] : undefined
    return constant === undefined ? [] : [[name, describeValue(constant)] as const]
  })
  if (fed.length === 0) return id === FLOW_OUTPUT ? <p className="sub">No outputs.</p> : null
  return (
    <dl className="io wide">
      {fed.map(([name, words]) => (
        <div key={name}>
          <dt>
            <Words of={name} most={64} />
          </dt>
          <dd className="brief">
            <Words of={words} most={160} />
          </dd>
        </div>
      ))}
    </dl>
  )
}
