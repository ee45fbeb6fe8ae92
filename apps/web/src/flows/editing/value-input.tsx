import type { PortRef } from '@farebox/flows/document/flow'
import { compileInput } from '@farebox/protocol/fields/compile'
import type { Field, JsonValue } from '@farebox/protocol/fields/field'
import { useState, type ReactNode } from 'react'
import { FieldInputs } from '../../input-form/field-input.tsx'
import type { PortType } from '@farebox/flows/internal/graph/field-of'
import { ValueSetting } from '../settings/setting-fields.tsx'
import { useEditor } from '../editor/use-editor.ts'

const HELD = { refusal: undefined, onLeave: () => undefined, isHeld: false }

/** The value of an input that no wire feeds: the control that the field has in every form. */
export function ValueInput(props: {
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
