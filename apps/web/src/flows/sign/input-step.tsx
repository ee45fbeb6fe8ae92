import type { FieldMap, JsonObject } from '@farebox/protocol/fields/field'
import { useEffect, useRef, useState, type ReactNode } from 'react'
import { focusUnreadable } from '../../input-form/focus-unreadable.ts'
import { InputForm } from '../../input-form/input-form.tsx'

/** What a run takes, filled in as for a job; a value that is refused is told at its field. */
export function InputStep(props: {
  readonly fields: FieldMap
  readonly value: JsonObject
  readonly onChange: (value: JsonObject) => void
  /** Called with what the flow's own check made of it. */
  readonly done: (checked: JsonObject) => void
  /** The values came with the sheet: an earlier run's, or a sample's. */
  readonly isGiven: boolean
  readonly close: () => void
}): ReactNode {
  const { fields, value, onChange, done, isGiven, close } = props
  const [refusal, setRefusal] = useState<{ readonly field: string; readonly reason: string }>()
  const form = useRef<HTMLFormElement>(null)
  const isEmpty = Object.keys(fields).length === 0
  const goOn = async (): Promise<void> => {
    if (focusUnreadable(form.current)) return
    const { checkInput } = await import('../../fields/check-input.ts')
    const checked = checkInput(fields, value)
    if (checked.ok) return done(checked.value)
    setRefusal(checked.violation)
  }
  // Nobody is asked for nothing.
  const first = useRef(() => void (isEmpty ? goOn() : undefined))
  useEffect(() => first.current(), [])
  useEffect(() => {
    if (refusal !== undefined) form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus()
  }, [refusal])
  if (isEmpty) return <p className="quiet above">Checking the input…</p>
  return (
    <form
      ref={form}
      noValidate
      method="dialog"
      onSubmit={event => {
        event.preventDefault()
        void goOn()
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
            setRefusal(undefined)
            onChange(changed)
          }}
          form={{ refusal, onLeave: () => undefined, isHeld: false }}
        >
          {!isEmpty && (
            <div className="row tools">
              <button
                type="button"
                className="button low"
                onClick={() => {
                  import('../../fields/check-input.ts').then(
                    ({ sampleInput }) => onChange(sampleInput(fields) ?? value),
                    () => undefined,
                  )
                }}
              >
                Use sample input
              </button>
            </div>
          )}
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
