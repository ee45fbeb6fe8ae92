import type { FieldMap, JsonObject } from '@farebox/protocol/fields/field'
import { useState, type ReactNode } from 'react'
import { isFillable } from '../fields/choose-control.ts'
import { explainJson } from '../fields/explain-json.ts'
import { Switch } from '../parts/switch.tsx'
import { FieldInputs, type FormContext } from './field-input.tsx'
import { readField } from './field-values.ts'

/** The view in which the input is edited. */
export type InputView = 'form' | 'json'

/** JSON text as it was typed. It is valid as long as the input is still the one that it was typed over. */
interface Draft {
  readonly text: string
  /** The input at that time, as JSON. */
  readonly of: string
}

/** The input of a job, edited as a form generated from the capability's schema, or as JSON. Both views edit one value. */
export function InputForm(props: {
  readonly fields: FieldMap
  readonly value: JsonObject
  readonly onChange: (value: JsonObject) => void
  readonly form: FormContext
  readonly children: ReactNode
}): ReactNode {
  const { fields, value, onChange, children } = props
  const form = { ...props.form, refusal: useRefusal(props.form.refusal, value) }
  const canFill = isFillable(fields)
  const [view, setView] = useState<InputView>(canFill ? 'form' : 'json')
  const [draft, setDraft] = useState<Draft>()
  const isEmpty = Object.keys(fields).length === 0
  const text = draft?.of === JSON.stringify(value) ? draft.text : JSON.stringify(value, null, 2)
  const problem = explainJson(text)
  const type = (typed: string): void => {
    const isRead = explainJson(typed) === undefined
    const changed = isRead ? (JSON.parse(typed) as JsonObject) : value
    setDraft({ text: typed, of: JSON.stringify(changed) })
    if (isRead) onChange(changed)
  }
  return (
    <div>
      <h2 className="with-switch">
        Input
        {canFill && !isEmpty && (
          <Switch
            label="Input view"
            value={view}
            choices={[
              ['form', 'Form'],
              ['json', 'JSON'],
            ]}
            onChange={setView}
          />
        )}
      </h2>
      {isEmpty && <p className="hint">This capability does not take any input.</p>}
      {view === 'form' && problem !== undefined && (
        <p className="hint bad" role="status">
          {problem} The form shows the last valid input. Switch back to fix the JSON. If you change anything
          here, your JSON will be discarded.
        </p>
      )}
      {view === 'form' ? (
        <FieldInputs fields={fields} path={[]} value={value} onChange={onChange} form={form} />
      ) : (
        <JsonView text={text} problem={problem} type={type} form={form} />
      )}
      {children}
    </div>
  )
}

function JsonView(props: {
  readonly text: string
  readonly problem: string | undefined
  readonly type: (text: string) => void
  readonly form: FormContext
}): ReactNode {
  const { text, problem, type, form } = props
  const isUnreadable = problem !== undefined
  return (
    <div className="field">
      <label className="label" htmlFor="json-input">
        <b>Input as JSON</b>
      </label>
      <textarea
        id="json-input"
        className="input mono"
        rows={12}
        spellCheck={false}
        disabled={form.isHeld}
        aria-invalid={isUnreadable || form.refusal !== undefined}
        data-unreadable={isUnreadable ? '' : undefined}
        value={text}
        onBlur={form.onLeave}
        onChange={event => type(event.target.value)}
      />
      {(problem ?? form.refusal) !== undefined && (
        <p className="hint bad">{problem ?? `${form.refusal?.field}: ${form.refusal?.reason}`}</p>
      )}
    </div>
  )
}

/** A refusal, which disappears when the value of its field changes. */
function useRefusal(refusal: FormContext['refusal'], input: JsonObject): FormContext['refusal'] {
  const now = refusal === undefined ? undefined : JSON.stringify(readField(input, refusal.field))
  const [refused, setRefused] = useState({ refusal, value: now })
  if (refused.refusal !== refusal) {
    setRefused({ refusal, value: now })
    return refusal
  }
  return refused.value === now ? refusal : undefined
}
