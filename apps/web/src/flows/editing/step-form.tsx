import { copySteps, pasteSteps } from '@farebox/flows/edit/copy-steps'
import { useState, type ReactNode } from 'react'
import { groupDigits } from '../../format/amount.ts'
import { keepPlaces, withPlaces } from '../editor/edit-actions.ts'
import { CapabilitySelect } from './capability-select.tsx'
import { StepFindings } from './finding-list.tsx'
import { InputLine } from './input-line.tsx'
import { SecretMark } from './secret-mark.tsx'
import { StepMore, StepOutputs } from './step-more.tsx'
import { StepSettings } from '../settings/step-settings.tsx'
import { useEditor, useFlowState, useNodeView } from '../editor/use-editor.ts'

/** The form of a step: its price and capability, settings, inputs and outputs. */
export function StepForm({ id, close }: { readonly id: string; readonly close: () => void }): ReactNode {
  const node = useNodeView(id)
  if (node === undefined) return null
  return (
    <div className="step-form">
      <h2>
        <span>
          <bdi>{node.name}</bdi>
        </span>
        <span className="num">
          {node.price === undefined ? 'free' : `${groupDigits(node.price)} USDC`}
          {node.job?.most !== undefined && ` × up to ${node.job.most}`}
        </span>
      </h2>
      {node.job !== undefined && (
        <p className="row small">
          <CapabilitySelect id={id} agentId={node.job.agentId} capability={node.job.capability} />
          <a href={`/agents/${node.job.agentId}`} target="_blank" rel="noreferrer">
            Agent page
          </a>
        </p>
      )}
      <StepBody id={id} close={close} />
    </div>
  )
}

/** The findings, settings, inputs and outputs of a step. */
export function StepBody({ id, close }: { readonly id: string; readonly close?: () => void }): ReactNode {
  const node = useNodeView(id)
  const step = useFlowState(({ flow }) => (Object.hasOwn(flow.steps, id) ? flow.steps[id] : undefined))
  const [isMoreOpen, setMoreOpen] = useState(false)
  if (node === undefined || step === undefined) return null
  return (
    <>
      <StepFindings step={id} />
      <StepSettings id={id} step={step} />
      {step.kind === 'constant' && <SecretMark to={{ step: id, port: 'value' }} />}
      {node.inputs.length > 0 && (
        <dl className="feeds">
          {node.inputs.map(({ name }) => (
            <InputLine key={name} to={{ step: id, port: name }} />
          ))}
        </dl>
      )}
      <details className="step-more above" onToggle={({ currentTarget }) => setMoreOpen(currentTarget.open)}>
        <summary className="quiet">Outputs, name, and more</summary>
        {isMoreOpen && (
          <>
            <StepOutputs id={id} />
            <StepMore id={id} step={step} />
            <StepButtons id={id} done={close ?? (() => undefined)} />
          </>
        )}
      </details>
    </>
  )
}

/** The buttons that duplicate or remove a step. */
function StepButtons({ id, done }: { readonly id: string; readonly done: () => void }): ReactNode {
  const editor = useEditor()
  const { store } = editor
  const duplicate = (): void => {
    const flow = withPlaces(editor)
    const put = pasteSteps(flow, copySteps(flow, [id]))
    done()
    if (put.ok) store.edit([...keepPlaces(editor), ...put.edits], { select: put.ids.values() })
  }
  return (
    <div className="row step-buttons">
      <button type="button" className="button low" onClick={duplicate}>
        Duplicate
      </button>
      <button
        type="button"
        className="button low danger"
        onClick={() => {
          done()
          store.edit([...keepPlaces(editor), { edit: 'remove-step', id }], { select: [] })
        }}
      >
        Remove
      </button>
    </div>
  )
}
