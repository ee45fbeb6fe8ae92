import type { PortRef } from '@farebox/flows/document/flow'
import type { PortType } from '@farebox/flows/internal/graph/field-of'
import { useEffect, useRef, useState, type ReactNode } from 'react'
import { PortShape } from './port-shape.tsx'
import { SecretMark } from './secret-mark.tsx'
import { SourceSelect } from './source-select.tsx'
import { useEditor, useFlowView, useNodeView } from '../editor/use-editor.ts'
import { compileInput } from '@farebox/protocol/fields/compile'
import type { Field, JsonValue } from '@farebox/protocol/fields/field'
import { FieldInputs } from '../../input-form/field-input.tsx'
import { ValueSetting } from '../settings/setting-fields.tsx'

/** One input in words: its name, what feeds it, its value where it has one of its own, and what was found. */
export function InputLine({
  to,
  isAlone = false,
}: {
  readonly to: PortRef
  readonly isAlone?: boolean
}): ReactNode {
  const node = useNodeView(to.step)
  const port = node?.inputs.find(({ name }) => name === to.port)
  const type = useFlowView(({ graph }) => graph.inputsOf(to.step).find(({ name }) => name === to.port)?.type)
  const finding = useFlowView(({ findings }) =>
    findings.get(to.step)?.find(({ port: at, severity }) => at === to.port && severity === 'error'),
  )
  const [isTyped, setTyped] = useState(
    port?.feed?.by === 'value' || (isAlone && port?.feed?.by === 'nothing'),
  )
  const line = useRef<HTMLDivElement>(null)
  const editor = useEditor()
  useEffect(
    () =>
      editor.onPoint(({ step, port: name, isTyped: isWanted = false }) => {
        if (!isWanted || step !== to.step || name !== to.port) return
        setTyped(true)
        // Once its control is there.
        requestAnimationFrame(() =>
          line.current?.querySelector<HTMLElement>('dd :is(input, textarea)')?.focus(),
        )
      }),
    [editor, to.step, to.port],
  )
  if (port === undefined) return null
  const { feed } = port
  const value = feed?.by === 'value' ? feed.value : undefined
  const isValue = feed?.by === 'value' || (isTyped && feed?.by === 'nothing')
  return (
    <div className={`feed ${port.state}`} ref={line}>
      <dt>
        <PortShape type={port.type} />
        <span className="name">
          <bdi>{port.name}</bdi>
          {port.required && to.step !== 'output' && (
            <>
              <span className="star" aria-hidden="true">
                *
              </span>
              <span className="unseen"> required</span>
            </>
          )}
        </span>
        {port.state !== 'there' && (
          <span className={`tag ${port.state === 'new' ? 'info' : 'refused'}`}>{port.state}</span>
        )}
      </dt>
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

/** A number, or one of a few words, is nothing that has to be kept from anybody. */
function canBeSecret(type: PortType): boolean {
  return (
    type === 'any' ||
    (type.enum === undefined && type.type !== 'boolean' && type.type !== 'integer' && type.type !== 'number')
  )
}

const HELD = { refusal: undefined, onLeave: () => undefined, isHeld: false }

/** The value of an input that no wire feeds: the control that the field has in every form. */
function ValueInput(props: {
  readonly to: PortRef
  readonly type: PortType
  /** Undefined: none is set. */
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
    <div className="bare">
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

/** What is typed, as the agent would read it: `12` for a number. What it would refuse stays as it is. */
function readAs(field: Field, raw: JsonValue): JsonValue {
  const checked = compileInput({ value: { ...field, required: true } })({ value: raw })
  return checked.ok ? (checked.value['value'] ?? raw) : raw
}

function joinOf({ step, port }: PortRef): string {
  return `value ${step} ${port}`
}
