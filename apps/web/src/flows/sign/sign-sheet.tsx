import type { Flow } from '@farebox/flows/document/flow'
import type { FieldMap, JsonObject } from '@farebox/protocol/fields/field'
import { useState, type ReactNode } from 'react'
import { Sheet } from '../../parts/sheet.tsx'
import { Words } from '../../parts/words.tsx'
import { InputStep } from './input-step.tsx'
import { PaymentStep } from './payment-step.tsx'
import { useSigning } from './use-signing.ts'

/**
 * A sheet over the page: the inputs of a run, its payments, and their signatures one after another. If the sheet is closed
 * before the last signature, nothing has been started.
 */
export function SignSheet(props: {
  readonly flow: Flow
  /** Known values of its inputs, from a template's sample or the previous run. */
  readonly input?: JsonObject
  /** The id of the flow, if it is saved on the platform. */
  readonly flowId?: string
  /** The id of the flow's draft in this browser. */
  readonly draftId?: string
  readonly onClose: () => void
}): ReactNode {
  const { flow, input: given = {}, flowId, draftId, onClose } = props
  // The inputs of the flow may have changed since; values without an input are dropped.
  const [input, setInput] = useState(() => pickKnown(given, flow.inputs))
  /** The input as parsed by the flow's own check; undefined while the reader fills it in. */
  const [checked, setChecked] = useState<JsonObject>()
  const { signing, quote, sign, reset } = useSigning({
    flow,
    ...(flowId !== undefined && { flowId }),
    ...(draftId !== undefined && { draftId }),
  })
  return (
    <Sheet labelledBy="sign-run" close={onClose} locked={signing.step === 'starting'} look="ticket">
      <h2 id="sign-run">
        Run “<Words of={flow.name === '' ? 'Unnamed flow' : flow.name} most={64} />”
      </h2>
      {checked === undefined ? (
        <InputStep
          fields={flow.inputs}
          value={input}
          onChange={setInput}
          done={value => {
            setChecked(value)
            quote()
          }}
          isGiven={props.input !== undefined}
          close={onClose}
        />
      ) : (
        <PaymentStep
          flow={flow}
          signing={signing}
          input={checked}
          fields={flow.inputs}
          again={quote}
          sign={() => sign(checked)}
          change={() => {
            reset()
            setChecked(undefined)
          }}
          close={onClose}
        />
      )}
    </Sheet>
  )
}

function pickKnown(values: JsonObject, fields: FieldMap): JsonObject {
  return Object.fromEntries(Object.entries(values).filter(([name]) => Object.hasOwn(fields, name)))
}
