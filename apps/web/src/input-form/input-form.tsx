import type { FieldMap, JsonObject } from '@farebox/protocol/fields/field'
import { useEffect, useState, type ReactNode } from 'react'
import { isFillable } from '../fields/choose-control.ts'
import { Switch } from '../parts/switch.tsx'
import { FieldInputs, type FormContext } from './field-input.tsx'

/** How the input is filled in. */
export type InputView = 'form' | 'json'

/** The input of a job, as a form made of the capability's schema, or as JSON: two views of one value. */
export function InputForm(props: {
  readonly fields: FieldMap
  readonly value: JsonObject
  readonly onChange: (value: JsonObject) => void
  /** Told whether the JSON that is shown cannot be read: what is not shown is not sent. */
  readonly onUnreadable: (isUnreadable: boolean) => void
  readonly form: FormContext
  readonly children: ReactNode
}): ReactNode {
  const { fields, value, onChange, onUnreadable, form, children } = props
  const canFill = isFillable(fields)
  const [view, setView] = useState<InputView>(canFill ? 'form' : 'json')
  const isEmpty = Object.keys(fields).length === 0
  return (
    <div>
      <h2 className="with-switch">
        Input
        {canFill && !isEmpty && (
          <Switch
            label="How the input is filled in"
            value={view}
            choices={[
              ['form', 'Form'],
              ['json', 'JSON'],
            ]}
            onChange={setView}
          />
        )}
      </h2>
      {isEmpty && <p className="hint">This capability takes nothing.</p>}
      {view === 'form' ? (
        <FieldInputs
          fields={fields}
          path={[]}
          value={value}
          onChange={changed => onChange(changed ?? {})}
          form={form}
        />
      ) : (
        <JsonView value={value} onChange={onChange} onUnreadable={onUnreadable} form={form} />
      )}
      {children}
    </div>
  )
}

function JsonView(props: {
  readonly value: JsonObject
  readonly onChange: (value: JsonObject) => void
  readonly onUnreadable: (isUnreadable: boolean) => void
  readonly form: FormContext
}): ReactNode {
  const { onUnreadable } = props
  const [text, setText] = useState(() => JSON.stringify(props.value, null, 2))
  const problem = readProblem(text)
  const isUnreadable = problem !== undefined
  useEffect(() => {
    onUnreadable(isUnreadable)
    return () => onUnreadable(false)
  }, [isUnreadable, onUnreadable])
  return (
    <div className="field">
      <label className="label" htmlFor="json-input">
        <b>The whole input as JSON</b>
      </label>
      <textarea
        id="json-input"
        className="input mono"
        rows={12}
        spellCheck={false}
        disabled={props.form.isHeld}
        aria-invalid={isUnreadable || props.form.refusal !== undefined}
        value={text}
        onBlur={props.form.onLeave}
        onChange={event => {
          setText(event.target.value)
          if (readProblem(event.target.value) === undefined)
            props.onChange(JSON.parse(event.target.value) as JsonObject)
        }}
      />
      {(problem ?? props.form.refusal) !== undefined && (
        <p className="hint bad">{problem ?? `${props.form.refusal?.field}: ${props.form.refusal?.reason}`}</p>
      )}
    </div>
  )
}

function readProblem(text: string): string | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? undefined
      : 'input: must be an object'
  } catch {
    return 'This is no JSON yet.'
  }
}
