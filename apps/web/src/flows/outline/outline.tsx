import { useState, type ReactNode } from 'react'
import type { Step } from '@farebox/flows/document/flow'
import { Sign } from '../../signs/sign.tsx'
import { addStep } from '../editor/edit-actions.ts'
import { FlowInputs, FlowOutputs } from '../editing/ends-form.tsx'
import { FindingList } from '../editing/finding-list.tsx'
import { StepPicker } from '../editing/step-picker.tsx'
import { useEditor, useFlowView } from '../editor/use-editor.ts'
import { OutlineStep } from './outline-step.tsx'
import { usePointed } from './use-pointed.ts'

/** The flow in words: every step, what feeds each of its inputs, its price and what was found, all to be changed. */
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
