import { useState, type ReactNode, useEffect, useRef, type RefObject, memo } from 'react'
import type { Step } from '@farebox/flows/document/flow'
import { Sign } from '../../signs/sign.tsx'
import { addStep } from '../editor/edit-actions.ts'
import { FlowInputs, FlowOutputs } from '../editing/ends-form.tsx'
import { FindingList } from '../editing/finding-list.tsx'
import { StepPicker } from '../editing/step-picker.tsx'
import { useEditor, useFlowView, useNodeView, useShownStep } from '../editor/use-editor.ts'
import { CapabilitySelect } from '../editing/capability-select.tsx'
import { StepBody } from '../editing/step-form.tsx'
import { showValue } from '../view/show-value.ts'

/** The flow in words: every step with the sources of its inputs, its price and its findings, all of them editable. */
export function Outline(): ReactNode {
  const steps = useFlowView(({ order }) => order)
  const list = usePointed()
  return (
    <div className="outline" ref={list}>
      <div className="outline-findings">
        <FindingList />
      </div>
      <section className="outline-end" data-step="input" tabIndex={-1}>
        <div className="heading">
          <h2>Flow inputs</h2>
          <span className="end">entered for each run</span>
        </div>
        <FlowInputs />
      </section>
      <section>
        <div className="heading">
          <h2>Steps</h2>
          <span className="end">USDC</span>
        </div>
        <ol className="outline-steps">
          {steps
            .filter(id => id !== 'input' && id !== 'output')
            .map((id, index) => (
              <OutlineStep key={id} id={id} number={index + 1} />
            ))}
        </ol>
        <AddStep />
      </section>
      <section className="outline-end" data-step="output" tabIndex={-1}>
        <div className="heading">
          <h2>Flow outputs</h2>
          <span className="end">returned by each run</span>
        </div>
        <FlowOutputs />
      </section>
    </div>
  )
}

function AddStep(): ReactNode {
  const editor = useEditor()
  const [isOpen, setOpen] = useState(false)
  if (!isOpen)
    return (
      <button type="button" className="button add-step" onClick={() => setOpen(true)}>
        <Sign name="plus" /> Add a step
      </button>
    )
  const add = (step: Step): void => {
    setOpen(false)
    const id = addStep(editor, step)
    requestAnimationFrame(() => editor.point({ step: id }))
  }
  return (
    <div className="inline-picker">
      <StepPicker join={undefined} add={add} ask={() => undefined} give={() => undefined} />
      <button type="button" className="link small" onClick={() => setOpen(false)}>
        Cancel
      </button>
    </div>
  )
}

/** Scrolls to the step that the reader is led to, and focuses it. */
function usePointed(): RefObject<HTMLDivElement | null> {
  const editor = useEditor()
  const list = useRef<HTMLDivElement>(null)
  useEffect(
    () =>
      editor.onPoint(({ step, port }) => {
        const element = list.current?.querySelector<HTMLElement>(`[data-step="${CSS.escape(step)}"]`)
        const line =
          port === undefined
            ? undefined
            : Array.from(element?.querySelectorAll<HTMLElement>('.feed') ?? []).find(
                one => one.querySelector('.name')?.firstChild?.textContent === port,
              )
        const target = line?.querySelector<HTMLElement>('select') ?? element
        target?.focus({ preventScroll: true })
        ;(line ?? element)?.scrollIntoView({ block: 'center' })
      }),
    [editor],
  )
  return list
}

/** One step of the outline. */
const OutlineStep = memo(function OutlineStep(props: {
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
                .map(([name, value]) => `${name} ${showValue(value)}`)
                .join(', ')}`
            : (shown.reason ?? shown.state)}
        </p>
      )}
    </li>
  )
})
