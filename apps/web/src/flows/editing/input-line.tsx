import type { PortRef } from '@farebox/flows/document/flow'
import type { PortType } from '@farebox/flows/internal/graph/field-of'
import { useEffect, useRef, useState, type ReactNode, type RefObject } from 'react'
import type { PortView } from '../view/views.ts'
import { PortShape, PortTag } from './port-shape.tsx'
import { SecretMark } from './secret-mark.tsx'
import { SourceSelect } from './source-select.tsx'
import { useEditor, useFlowView, useNodeView } from '../editor/use-editor.ts'
import { compileInput } from '@farebox/protocol/fields/compile'
import type { Field, JsonValue } from '@farebox/protocol/fields/field'
import { findInput } from '@farebox/flows/internal/graph/find-port'
import { FieldInputs } from '../../input-form/field-input.tsx'
import { ValueSetting } from '../settings/setting-fields.tsx'

/** One input in words: its name, its source, its own value if it has one, and its findings. */
export function InputLine({
  to,
  isAlone = false,
}: {
  readonly to: PortRef
  readonly isAlone?: boolean
}): ReactNode {
  const node = useNodeView(to.step)
  const port = node?.inputs.find(({ name }) => name === to.port)
  const type = useFlowView(({ graph }) => findInput(graph, to)?.type)
  const finding = useFlowView(({ findings }) =>
    findings.get(to.step)?.find(({ port: at, severity }) => at === to.port && severity === 'error'),
  )
  const feed = port?.feed
  const [isTyped, setTyped] = useState(feed?.by === 'value' || (isAlone && feed?.by === 'nothing'))
  const line = useTypedWhenPointed(to, setTyped)
  if (port === undefined) return null
  const value = feed?.by === 'value' ? feed.value : undefined
  const isValue = feed?.by === 'value' || (isTyped && feed?.by === 'nothing')
  return (
    <div className={`feed ${port.state}`} ref={line}>
      <PortName port={port} isStarred={port.required && to.step !== 'output'} />
      <dd>
        <SourceSelect to={to} port={port} isTyped={isValue} setTyped={setTyped} />
        {isValue && type !== undefined && <ValueInput to={to} type={type} value={value} />}
        {value !== undefined && type !== undefined && canBeSecret(type) && <SecretMark to={to} />}
        {finding !== undefined && (
          <p className="hint bad">
            <bdi>{finding.message}</bdi>
          </p>
        )}
      </dd>
    </div>
  )
}

/** Opens the value of an input and focuses its control, each time the reader is led to it to type a value. */
function useTypedWhenPointed(
  to: PortRef,
  setTyped: (isTyped: boolean) => void,
): RefObject<HTMLDivElement | null> {
  const line = useRef<HTMLDivElement>(null)
  const editor = useEditor()
  useEffect(
    () =>
      editor.onPoint(({ step, port: name, isTyped = false }) => {
        if (!isTyped || step !== to.step || name !== to.port) return
        setTyped(true)
        // Waits until the control has been rendered.
        requestAnimationFrame(() =>
          line.current?.querySelector<HTMLElement>('dd :is(input, textarea)')?.focus(),
        )
      }),
    [editor, to.step, to.port, setTyped],
  )
  return line
}

function PortName({ port, isStarred }: { readonly port: PortView; readonly isStarred: boolean }): ReactNode {
  return (
    <dt>
      <PortShape type={port.type} />
      <span className="name">
        <bdi>{port.name}</bdi>
        {isStarred && (
          <>
            <span className="star" aria-hidden="true">
              *
            </span>
            <span className="unseen"> required</span>
          </>
        )}
      </span>
      <PortTag state={port.state} />
    </dt>
  )
}

/** Whether a value of this type can be a secret; numbers, booleans and choices cannot. */
function canBeSecret(type: PortType): boolean {
  return (
    type === 'any' ||
    (type.enum === undefined && type.type !== 'boolean' && type.type !== 'integer' && type.type !== 'number')
  )
}

const HELD = { refusal: undefined, onLeave: () => undefined, isHeld: false }

/** The value of an input without a wire, edited with the same control as in every form. */
function ValueInput(props: {
  readonly to: PortRef
  readonly type: PortType
  /** Undefined when no value is set. */
  readonly value: JsonValue | undefined
}): ReactNode {
  const { to, type, value } = props
  const { store } = useEditor()
  const [typed, setTyped] = useState<{ readonly raw: JsonValue; readonly stored: JsonValue }>()
  const put = (raw: JsonValue | undefined): void => {
    if (raw === undefined) {
      setTyped(undefined)
      return store.edit([{ edit: 'clear-constant', to }], { join: joinOf(to) })
    }
    const stored = type === 'any' ? raw : readAs(type, raw)
    setTyped({ raw, stored })
    store.edit([{ edit: 'set-constant', to, value: stored }], { join: joinOf(to) })
  }
  if (type === 'any') return <ValueSetting label="Value" value={value ?? ''} onChange={put} />
  const shown = typed !== undefined && typed.stored === value ? typed.raw : value
  return (
    <div className="field-alone">
      <FieldInputs
        fields={{ [to.port]: type }}
        path={[]}
        value={shown === undefined ? {} : { [to.port]: shown }}
        onChange={changed => put(changed[to.port])}
        form={HELD}
      />
    </div>
  )
}

/** Converts the typed value as the agent would: `12` for a number. Returns a value that the agent would refuse unchanged. */
function readAs(field: Field, raw: JsonValue): JsonValue {
  const checked = compileInput({ value: { ...field, required: true } })({ value: raw })
  return checked.ok ? (checked.value['value'] ?? raw) : raw
}

function joinOf({ step, port }: PortRef): string {
  return `value ${step} ${port}`
}
