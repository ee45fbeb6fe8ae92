import {
  EdgeLabelRenderer,
  getBezierPath,
  getSmoothStepPath,
  useStore,
  type Edge,
  type EdgeProps,
} from '@xyflow/react'
import { memo, useContext, type ReactNode } from 'react'
import { Sign } from '../../../signs/sign.tsx'
import type { WireView } from '../../view/views.ts'
import { NearContext } from '../canvas-context.ts'

/** The edge of a wire; without `wire` it is the one carried by the keyboard, which is not joined yet. */
export type WireEdge = Edge<{ readonly wire?: WireView }, 'wire'>

/** A wire that leads backwards runs above the step that it leads to, by half of the smallest gap between two steps. */
const ABOVE = 16

/** A wire. Its colour shows the type of the value; its line and its tag show how well the value fits. */
export const WireLine = memo(function WireLine(props: EdgeProps<WireEdge>): ReactNode {
  const { sourceX, sourceY, targetX, targetY, sourcePosition, targetPosition, selected, data } = props
  const isNear = useContext(NearContext)
  const ends = { sourceX, sourceY, targetX, targetY, sourcePosition, targetPosition }
  const isBack = targetX < sourceX
  const top = useStore(({ nodeLookup }) =>
    isBack ? nodeLookup.get(props.target)?.internals.positionAbsolute.y : undefined,
  )
  const [path, x, y] =
    top === undefined
      ? getBezierPath({ ...ends, curvature: 0.34 })
      : getSmoothStepPath({ ...ends, centerY: top - ABOVE, offset: ABOVE, borderRadius: 10 })
  const wire = data?.wire
  const names = ['wire', wire?.grade ?? 'carried', wire?.type ?? '', selected === true ? 'chosen' : '']
  return (
    <>
      <path className="wire-touch" d={path} />
      {isNear && <path className="halo" d={path} />}
      <path className={names.join(' ')} d={path} />
      {wire !== undefined && (isNear || selected === true) && (wire.tag !== '' || selected === true) && (
        <EdgeLabelRenderer>
          <Tag wire={wire} x={x} y={y} isChosen={selected === true} />
        </EdgeLabelRenderer>
      )}
    </>
  )
})

/** A line between two steps of which the later one waits for the earlier one without taking a value from it. */
export const AfterLine = memo(function AfterLine(props: EdgeProps): ReactNode {
  const { sourceX, sourceY, targetX, targetY, sourcePosition, targetPosition } = props
  const [path] = getBezierPath({ sourceX, sourceY, targetX, targetY, sourcePosition, targetPosition })
  return <path className="after-line" d={path} />
})

function Tag(props: {
  readonly wire: WireView
  readonly x: number
  readonly y: number
  readonly isChosen: boolean
}): ReactNode {
  const { wire, x, y, isChosen } = props
  const isBad = wire.grade === 'broken' || wire.grade === 'impossible'
  const isCare = wire.grade === 'lossy'
  return (
    <div
      className={`wire-tag ${isBad ? 'bad' : isCare ? 'care' : ''} ${isChosen ? 'whole' : ''}`}
      style={{ transform: `translate(-50%, -50%) translate(${x}px, ${y}px)` }}
    >
      {isBad && <Sign name="cross" />}
      {isCare && <Sign name="warn" />}
      {isChosen ? (
        <span>
          <bdi>{wire.from.port}</bdi> → <bdi>{wire.to.port}</bdi>: <bdi>{wire.reason}</bdi>
        </span>
      ) : isCare ? (
        <span className="unseen">{wire.tag}</span>
      ) : (
        wire.tag
      )}
    </div>
  )
}
