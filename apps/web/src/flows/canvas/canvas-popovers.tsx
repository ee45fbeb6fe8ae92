import type { PortRef } from '@farebox/flows/document/flow'
import { useCallback, useRef, useState, type ReactNode } from 'react'
import { Popover, type Anchor } from '../../parts/popover.tsx'
import { addStep, askWhenRun, giveFromFlow, type Join } from '../editor/edit-actions.ts'
import { nameStop } from '../describe/name-stop.ts'
import type { CanvasPoint } from '@farebox/flows/internal/edit/edit'
import { EndsForm } from '../editing/ends-form.tsx'
import { StepForm } from '../editing/step-form.tsx'
import { StepPicker } from '../editing/step-picker.tsx'
import { useEditor, useFlowState } from '../editor/use-editor.ts'
import { InputLine } from '../editing/input-line.tsx'

/** A popover over the canvas. */
export type OpenedPopover =
  | { readonly kind: 'step'; readonly id: string; readonly anchor: () => Anchor }
  | { readonly kind: 'value'; readonly to: PortRef; readonly anchor: () => Anchor }
  | {
      readonly kind: 'add'
      readonly join: Join | undefined
      /**
       * The wanted place of a new step on the canvas; undefined: next to the port or step that the picker was opened from.
       */
      readonly at: CanvasPoint | undefined
      readonly anchor: () => Anchor
    }

/** The popover over the canvas. Closing a popover does not close another one that was opened since. */
export function useOpenedPopover(): {
  readonly opened: (OpenedPopover & { readonly key: number }) | undefined
  readonly open: (popover: OpenedPopover) => void
  readonly close: () => void
} {
  const [opened, setOpened] = useState<OpenedPopover & { readonly key: number }>()
  const keys = useRef(0)
  const open = useCallback((popover: OpenedPopover) => {
    keys.current += 1
    setOpened({ ...popover, key: keys.current })
  }, [])
  const close = (): void => setOpened(now => (now === opened ? undefined : now))
  return { opened, open, close }
}

interface OpenedProps<Kind extends OpenedPopover['kind']> {
  readonly opened: Extract<OpenedPopover, { readonly kind: Kind }>
  readonly close: () => void
}

/** Renders the open popover next to a node, a port, or the place where a wire was dropped. */
export function CanvasPopovers({ opened, close }: OpenedProps<OpenedPopover['kind']>): ReactNode {
  switch (opened.kind) {
    case 'step':
      return <StepPopover opened={opened} close={close} />
    case 'value':
      return <ValuePopover opened={opened} close={close} />
    case 'add':
      return <AddPopover opened={opened} close={close} />
  }
}

function StepPopover({ opened, close }: OpenedProps<'step'>): ReactNode {
  const { id, anchor } = opened
  const flow = useFlowState(state => state.flow)
  const isEnd = id === 'input' || id === 'output'
  if (!isEnd && !Object.hasOwn(flow.steps, id)) return null
  return (
    <Popover label={nameStop(flow, id)} anchor={anchor} close={close} className="step-popover">
      {isEnd ? <EndsForm side={id} /> : <StepForm id={id} close={close} />}
    </Popover>
  )
}

function ValuePopover({ opened, close }: OpenedProps<'value'>): ReactNode {
  const { to, anchor } = opened
  const name = useFlowState(({ flow }) => nameStop(flow, to.step))
  return (
    <Popover label={`${to.port} of ${name}`} anchor={anchor} close={close} className="value-popover">
      <dl className="feeds">
        <InputLine to={to} isAlone />
      </dl>
      <p className="row popover-acts">
        <button type="button" className="button low" onClick={close}>
          Done
        </button>
      </p>
    </Popover>
  )
}

function AddPopover({ opened, close }: OpenedProps<'add'>): ReactNode {
  const { join, at, anchor } = opened
  const editor = useEditor()
  return (
    <Popover label="Add a step" anchor={anchor} close={close} className="picker">
      <StepPicker
        join={join}
        add={(step, port) => {
          close()
          const id = addStep(editor, step, { at, join, ...(port !== undefined && { port }) })
          // Waits for the next frame. If another popover is open by then, the focus stays there.
          requestAnimationFrame(() =>
            requestAnimationFrame(() => {
              if (document.querySelector('.popover:popover-open') === null) editor.point({ step: id }, 'show')
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
