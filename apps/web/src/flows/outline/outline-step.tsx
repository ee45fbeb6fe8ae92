import { memo, type ReactNode } from 'react'
import { CapabilitySelect } from '../editing/capability-select.tsx'
import { StepBody } from '../editing/step-form.tsx'
import { useNodeView, useShownStep } from '../editor/use-editor.ts'
import { describeValue } from '../view/show-value.ts'

/** One step of the outline. */
export const OutlineStep = memo(function OutlineStep(props: {
  readonly id: string
  readonly number: number
}): ReactNode {
  const { id, number } = props
  const node = useNodeView(id)
  const shown = useShownStep(id)
  if (node === undefined) return null
  return (
    <li className={`outline-step ${node.finding === 'error' ? 'hurt' : ''}`} data-step={id} tabIndex={-1}>
      <h3>
        <span className="faint num">{number}</span>{' '}
        <span>
          <bdi>{node.name}</bdi>
        </span>{' '}
        {node.job === undefined ? (
          <span className="small quiet what">
            <bdi>{node.line}</bdi>
          </span>
        ) : (
          <CapabilitySelect id={id} agentId={node.job.agentId} capability={node.job.capability} />
        )}
        <span className="num price">
          {node.job?.most !== undefined && <span className="small">up to {node.job.most} × </span>}
          {node.price ?? 'free'}
        </span>
      </h3>
      <StepBody id={id} />
      {shown !== undefined && (
        <p className="small shown-outputs">
          {shown.state === 'done'
            ? `returned ${Object.entries(shown.outputs ?? {})
                .map(([name, value]) => `${name} ${describeValue(value)}`)
                .join(', ')}`
            : (shown.reason ?? shown.state)}
        </p>
      )}
    </li>
  )
})
