import { Handle, Position, useUpdateNodeInternals, type NodeProps } from '@xyflow/react'
import { memo, useLayoutEffect, useRef, type ReactNode } from 'react'
import { Sign } from '../../signs/sign.tsx'
import type { NodeView } from '../view/views.ts'
import type { ShownStep } from '../document/shown-values.ts'
import { CapabilitySelect } from '../editing/capability-select.tsx'
import { useNodeView, useShownStep } from '../editor/use-editor.ts'
import { useCanvas } from './canvas-context.ts'
import { PortRow } from './port-row.tsx'

/** A node of the canvas. Dragging does not render it again, because only its position changes. */
export function StepNode({ id, selected }: NodeProps): ReactNode {
  return <NodeBody id={id} isChosen={selected} />
}

/** The handle of lines from steps that have to run first. No port can have this name. */
export const AFTER_HANDLE = ' after'

const NodeBody = memo(function NodeBody(props: {
  readonly id: string
  readonly isChosen: boolean
}): ReactNode {
  const { id, isChosen } = props
  const node = useNodeView(id)
  const shown = useShownStep(id)
  useMeasuredPorts(id, node)
  if (node === undefined) return null
  const isEnd = node.kind === 'input' || node.kind === 'output'
  return (
    <div className={classesOf(node, isChosen, shown)}>
      {node.after.length > 0 && (
        <Handle
          type="target"
          position={Position.Left}
          id={AFTER_HANDLE}
          isConnectable={false}
          className="after-handle"
        />
      )}
      <Head node={node} />
      {!isEnd && <Line node={node} />}
      <ul className="ports">
        {[...node.inputs, ...node.outputs].map(port => (
          <PortRow
            key={`${port.side} ${port.name}`}
            nodeId={id}
            port={port}
            shown={valueOf(port.side === 'in' ? shown?.inputs : shown?.outputs, port.name)}
          />
        ))}
      </ul>
      {isEnd && <EndFoot node={node} />}
      {shown?.reason !== undefined && <p className="because">{shown.reason}</p>}
    </div>
  )
})

/** React Flow measures a node only when it is new; after a change of its ports, the measurement has to be requested. */
function useMeasuredPorts(id: string, node: NodeView | undefined): void {
  const measure = useUpdateNodeInternals()
  const ports = node === undefined ? '' : [...node.inputs, ...node.outputs].map(({ name }) => name).join('\n')
  const measured = useRef(ports)
  useLayoutEffect(() => {
    if (measured.current === ports) return
    measured.current = ports
    measure(id)
  }, [measure, id, ports])
}

function classesOf({ kind, finding }: NodeView, isChosen: boolean, shown: ShownStep | undefined): string {
  const isEnd = kind === 'input' || kind === 'output'
  const names = [
    'node',
    isEnd ? 'end' : kind === 'job' ? 'agent' : 'adapter',
    isChosen ? 'chosen' : '',
    finding === 'error' ? 'hurt' : '',
    shown === undefined ? '' : `is-${shown.state}`,
  ]
  return names.filter(name => name !== '').join(' ')
}

function Head({ node }: { readonly node: NodeView }): ReactNode {
  return (
    <div className="node-head">
      <b className="cut">
        <bdi>{node.name}</bdi>
      </b>
      {(node.finding === 'error' || node.finding === 'warning') && (
        <span className={`found ${node.finding}`}>
          <Sign name={node.finding === 'error' ? 'cross' : 'warn'} />
          <span className="unseen">{node.finding === 'error' ? 'has a problem' : 'has a warning'}</span>
        </span>
      )}
      {node.price !== undefined ? (
        <span className="fare-tag">
          {node.job?.most !== undefined && <small>≤ {node.job.most} × </small>}
          {node.price}
          <span className="unseen"> USDC</span>
        </span>
      ) : (
        node.kind !== 'input' && node.kind !== 'output' && <span className="fare-tag free">free</span>
      )}
    </div>
  )
}

function Line({ node }: { readonly node: NodeView }): ReactNode {
  const { openStep } = useCanvas()
  return (
    <div className="node-line">
      {node.job === undefined ? (
        <span className="what cut">
          <bdi>{node.line}</bdi>
        </span>
      ) : (
        <CapabilitySelect id={node.id} agentId={node.job.agentId} capability={node.job.capability} />
      )}
      <button
        type="button"
        className="node-more nodrag"
        aria-label={`Settings for ${node.name}`}
        onClick={({ currentTarget }) => openStep(node.id, currentTarget.closest('.node') ?? currentTarget)}
      >
        <Sign name="more" />
      </button>
    </div>
  )
}

function EndFoot({ node }: { readonly node: NodeView }): ReactNode {
  const { openStep } = useCanvas()
  const isEmpty = node.inputs.length + node.outputs.length === 0
  return (
    <button
      type="button"
      className="end-edit nodrag"
      onClick={({ currentTarget }) => openStep(node.id, currentTarget.closest('.node') ?? currentTarget)}
    >
      {node.kind === 'input'
        ? isEmpty
          ? 'Add an input'
          : 'Change inputs'
        : isEmpty
          ? 'Add an output'
          : 'Change outputs'}
    </button>
  )
}

function valueOf(values: ShownStep['inputs'], name: string) {
  return values !== undefined && Object.hasOwn(values, name) ? values[name] : undefined
}
