import type { PortRef } from '@farebox/flows/document/flow'
import type { ReactNode } from 'react'
import { useEditor, useFlowState } from '../editor/use-editor.ts'

/** Marks a value as secret, so that it is left out when the flow is shared or exported. */
export function SecretMark({ to }: { readonly to: PortRef }): ReactNode {
  const { store } = useEditor()
  const isSecret = useFlowState(
    ({ flow }) =>
      Object.hasOwn(flow.steps, to.step) && flow.steps[to.step]?.secret?.includes(to.port) === true,
  )
  return (
    <label className="secret-mark">
      <input
        type="checkbox"
        checked={isSecret}
        onChange={({ target }) => store.edit([{ edit: 'mark-secret', to, secret: target.checked }])}
      />
      Secret (left out when you share the flow)
    </label>
  )
}
