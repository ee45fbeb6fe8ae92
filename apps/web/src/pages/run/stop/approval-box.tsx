import type { JsonValue } from '@farebox/protocol/fields/field'
import type { ReactNode } from 'react'
import { OutputFields } from '../../../job-view/output-view.tsx'
import { Words } from '../../../parts/words.tsx'
import type { RunActions } from '../use-run-actions.ts'

/** A question to a person, with its two answers. */
export function ApprovalBox(props: {
  readonly id: string
  readonly question: string
  /** The value to decide about; undefined when there is none. */
  readonly value: unknown
  readonly actions: RunActions
}): ReactNode {
  const { id, question, value, actions } = props
  const isBusy = actions.busy !== undefined
  return (
    <div className="approval">
      <p>
        <b>
          <Words of={question} most={600} />
        </b>
      </p>
      {value !== undefined && (
        <OutputFields
          // The values of a run are JSON.
          output={{ value: value as JsonValue }}
          fields={{}}
          fileName={`farebox-${id}`}
        />
      )}
      <p className="row above">
        <button
          type="button"
          className="button solid"
          disabled={isBusy}
          onClick={() => actions.answer(id, true)}
        >
          Approve
        </button>
        <button type="button" className="button" disabled={isBusy} onClick={() => actions.answer(id, false)}>
          Decline
        </button>
      </p>
    </div>
  )
}
