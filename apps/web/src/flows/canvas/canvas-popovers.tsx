import type { PortRef } from '@farebox/flows/document/flow'
import type { ReactNode } from 'react'
import { Popover, type Anchor } from '../../parts/popover.tsx'
import { addStep, askWhenRun, giveFromFlow, nameOf, type Join } from '../editor/edit-actions.ts'
import type { Place } from '../view/places.ts'
import { EndsForm } from '../editing/ends-form.tsx'
import { StepForm } from '../editing/step-form.tsx'
import { StepPicker } from '../editing/step-picker.tsx'
import { useEditor, useFlowState } from '../editor/use-editor.ts'
import { InputLine } from '../editing/input-line.tsx'

/** What is open over the canvas. */
export type OpenedPopover =
  | { readonly kind: 'step'; readonly id: string; readonly anchor: () => Anchor }
  | { readonly kind: 'value'; readonly to: PortRef; readonly anchor: () => Anchor }
  | {
      readonly kind: 'add'
      readonly join: Join | undefined
      /** Where it is wanted on the canvas; undefined: beside what it belongs to. */
      readonly at: Place | undefined
      readonly anchor: () => Anchor
    }

/** What opens beside a node, a port or where a wire was dropped. */
export function CanvasPopovers(props: {
  readonly opened: OpenedPopover
  readonly close: () => void
}): ReactNode {
  const { opened, close } = props
  const editor = useEditor()
  const flow = useFlowState(state => state.flow)
  switch (opened.kind) {
    case 'step': {
      const { id } = opened
      const isEnd = id === 'input' || id === 'output'
      if (!isEnd && !Object.hasOwn(flow.steps, id)) return null
      return (
        <Popover label={nameOf(flow, id)} anchor={opened.anchor} close={close} className="step-popover">
          {isEnd ? <EndsForm side={id} /> : <StepForm id={id} close={close} />}
        </Popover>
      )
    }
    case 'value':
      return (
        <Popover
          label={`${opened.to.port} of ${nameOf(flow, opened.to.step)}`}
          anchor={opened.anchor}
          close={close}
          className="value-popover"
        >
          <dl className="feeds">
            <InputLine to={opened.to} isAlone />
          </dl>
          <p className="row popover-acts">
            <button type="button" className="button low" onClick={close}>
              Done
            </button>
          </p>
        </Popover>
      )
    case 'add': {
      const { join, at } = opened
      return (
        <Popover label="Add a step" anchor={opened.anchor} close={close} className="picker">
          <StepPicker
            join={join}
            add={(step, port) => {
              close()
              const id = addStep(editor, step, { at, join, ...(port !== undefined && { port }) })
              // Once it is drawn. Where the next popover is open by then, the focus stays there.
              requestAnimationFrame(() =>
                requestAnimationFrame(() => {
                  if (document.querySelector('.popover:popover-open') === null)
                    editor.point({ step: id }, 'show')
                }),
              )
            }}
            ask={to => {
              close()
              askWhenRun(editor, to)
            }}
            give={from => {
              close()
              giveFromFlow(editor, from)
            }}
          />
        </Popover>
      )
    }
  }
}
