import { Handle, Position } from '@xyflow/react'
import { memo, type KeyboardEvent, type ReactNode } from 'react'
import type { JsonValue } from '@farebox/protocol/fields/field'
import { showValue } from '../view/show-value.ts'
import type { PortView } from '../view/views.ts'
import { PortShape, PortTag } from '../editing/port-shape.tsx'
import { useCanvas } from './canvas-context.ts'

/** One port of a node: the handle of its wires, its name, and its value if it has no wire. */
export const PortRow = memo(function PortRow(props: {
  readonly nodeId: string
  readonly port: PortView
  /** The value in a dry run or a run; undefined when none is shown. */
  readonly shown: JsonValue | undefined
}): ReactNode {
  const { nodeId, port, shown } = props
  const { pressPort } = useCanvas()
  const isIn = port.side === 'in'
  const press = (event: KeyboardEvent): void => {
    if (event.key !== 'Enter' && event.key !== ' ') return
    event.preventDefault()
    event.stopPropagation()
    pressPort(nodeId, port)
  }
  return (
    <li className={`port ${port.side} ${port.state} ${port.finding ?? ''}`}>
      <Handle
        type={isIn ? 'target' : 'source'}
        position={isIn ? Position.Left : Position.Right}
        id={port.name}
        isConnectable={port.state !== 'gone'}
        tabIndex={0}
        role="button"
        aria-label={port.words}
        onKeyDown={press}
        data-port={port.name}
      >
        <PortShape type={port.type} />
      </Handle>
      {!isIn && shown !== undefined && <ShownValue of={shown} />}
      <span className="name cut">
        <bdi>{port.name}</bdi>
        {isIn && port.required && nodeId !== 'output' && (
          <span className="star" aria-hidden="true">
            *
          </span>
        )}
      </span>
      <PortTag state={port.state} />
      {isIn && (shown === undefined ? <Value nodeId={nodeId} port={port} /> : <ShownValue of={shown} />)}
    </li>
  )
})

/** A constant in place of a wire, or what the step does without a value. */
function Value({ nodeId, port }: { readonly nodeId: string; readonly port: PortView }): ReactNode {
  const { openValue } = useCanvas()
  const { feed } = port
  if (feed === undefined || feed.by === 'wire' || port.state === 'gone' || nodeId === 'output') return null
  const isMissing = feed.by === 'nothing' && port.required
  const words =
    feed.by === 'value'
      ? showValue(feed.value, 24)
      : feed.standard !== undefined
        ? showValue(feed.standard, 24)
        : isMissing
          ? 'missing'
          : 'not used'
  return (
    <button
      type="button"
      className={`value cut nodrag ${feed.by === 'value' ? 'fixed' : ''} ${isMissing ? 'bad' : ''}`}
      aria-label={`${port.name}: ${words}. Change it`}
      onClick={({ currentTarget }) => openValue({ step: nodeId, port: port.name }, currentTarget)}
    >
      <bdi>{words}</bdi>
    </button>
  )
}

function ShownValue({ of }: { readonly of: JsonValue }): ReactNode {
  return (
    <span className="shown cut">
      <bdi>{showValue(of, 40)}</bdi>
    </span>
  )
}
