import type { FieldMap, JsonObject } from '@farebox/protocol/fields/field'
import type { ReactNode } from 'react'

/** Fills the form with a sample input of the capability; if none can be generated, nothing changes. */
export function SampleButton(props: {
  readonly fields: FieldMap
  readonly onInput: (input: JsonObject) => void
  readonly isHeld: boolean
}): ReactNode {
  const { fields, onInput, isHeld } = props
  const fill = async (): Promise<void> => {
    const { sampleInput } = await import('../fields/check-input.ts')
    const sample = sampleInput(fields)
    if (sample !== undefined) onInput(sample)
  }
  return (
    <button
      type="button"
      className="button low"
      disabled={isHeld}
      onClick={() => void fill().catch(() => undefined)}
    >
      Use sample input
    </button>
  )
}
