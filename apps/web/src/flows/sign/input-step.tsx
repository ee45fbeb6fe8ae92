import type { FieldMap, JsonObject } from '@farebox/protocol/fields/field'
import { useEffect, useRef, useState, type ReactNode } from 'react'
import { focusUnreadable } from '../../input-form/focus-unreadable.ts'
import { InputForm } from '../../input-form/input-form.tsx'

/** A form for the inputs of a run, like that of a job; a refused value shows the reason at its field. */
export function InputStep(props: {
  readonly fields: FieldMap
  readonly value: JsonObject
  readonly onChange: (value: JsonObject) => void
  /** Called with the input as parsed by the flow's own check. */
  readonly done: (checked: JsonObject) => void
  /** Whether the values were given with the sheet, by an earlier run or a sample. */
  readonly isGiven: boolean
  readonly close: () => void
}): ReactNode {
  const { fields, value, onChange, done, isGiven, close } = props
  const { form, refusal, submit, forget } = useCheckedInput(fields, value, done)
  const isEmpty = Object.keys(fields).length === 0
  // A flow without inputs skips this step.
  const first = useRef(() => void (isEmpty ? submit() : undefined))
  useEffect(() => first.current(), [])
  if (isEmpty) return <p className="quiet above">Checking the input…</p>
  return (
    <form
      ref={form}
      noValidate
      method="dialog"
      onSubmit={event => {
        event.preventDefault()
        void submit()
      }}
    >
      <p className="quiet above">
        This is the input for the run{isGiven && '. It is already filled in, and you can change it'}. You will
        see every price before you sign.
      </p>
      <div className="above">
        <InputForm
          fields={fields}
          value={value}
          onChange={changed => {
            forget()
            onChange(changed)
          }}
          form={{ refusal, onLeave: () => undefined, isHeld: false }}
        >
          <SampleButton fields={fields} fill={onChange} />
        </InputForm>
      </div>
      <div className="acts">
        <button type="button" className="button" onClick={close}>
          Not now
        </button>
        <button type="submit" className="button solid">
          See the prices
        </button>
      </div>
    </form>
  )
}

/** Checks an input when it is submitted, and focuses the refused field. */
function useCheckedInput(fields: FieldMap, value: JsonObject, done: (checked: JsonObject) => void) {
  const form = useRef<HTMLFormElement>(null)
  const [refusal, setRefusal] = useState<{ readonly field: string; readonly reason: string }>()
  useEffect(() => {
    if (refusal !== undefined) form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus()
  }, [refusal])
  const submit = async (): Promise<void> => {
    if (focusUnreadable(form.current)) return
    const { checkInput } = await import('../../fields/check-input.ts')
    const checked = checkInput(fields, value)
    if (checked.ok) return done(checked.value)
    setRefusal(checked.violation)
  }
  return { form, refusal, submit, forget: () => setRefusal(undefined) }
}

function SampleButton(props: {
  readonly fields: FieldMap
  readonly fill: (value: JsonObject) => void
}): ReactNode {
  const { fields, fill } = props
  const fillSample = async (): Promise<void> => {
    const { sampleInput } = await import('../../fields/check-input.ts')
    const sample = sampleInput(fields)
    if (sample !== undefined) fill(sample)
  }
  return (
    <div className="row above">
      <button type="button" className="button low" onClick={() => void fillSample().catch(() => undefined)}>
        Use sample input
      </button>
    </div>
  )
}
