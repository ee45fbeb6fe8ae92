import type { Flow } from '@farebox/flows/document/flow'
import type { FieldMap, JsonObject } from '@farebox/protocol/fields/field'
import { useState, type ReactNode } from 'react'
import { Sheet } from '../../parts/sheet.tsx'
import { Words } from '../../parts/words.tsx'
import { InputStep } from './input-step.tsx'
import { PaymentStep } from './payment-step.tsx'
import { useSigning } from './use-signing.ts'

/**
 * A sheet over the page: what a run takes, all that it pays for, and the signatures one after another. Closed before the
 * last of them, nothing has begun.
 */
export function SignSheet(props: {
  readonly flow: Flow
  /** Values of its inputs, as far as they are known: a template's sample, or of the run before. */
  readonly input?: JsonObject
  /** The saved flow that it is. */
  readonly flowId?: string
  /** The draft of this browser that it is. */
  readonly draftId?: string
  readonly onClose: () => void
}): ReactNode {
  const { flow, input: given = {}, flowId, draftId, onClose } = props
  // The flow may have changed since: what it no longer takes is left out.
  const [input, setInput] = useState(() => pickKnown(given, flow.inputs))
  /** The input as the flow's own check reads it; undefined: it is being filled in. */
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
