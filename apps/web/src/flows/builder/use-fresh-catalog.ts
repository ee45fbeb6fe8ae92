import { useRead } from '../../site/question.ts'
import type { FlowEditor } from '../editor/flow-editor.ts'

/** So often what the agents are now is asked, while somebody looks. */
const FRESH_MS = 60_000

/** Keeps the flow held against what its agents are now. Undefined where the last answer came. */
export function useFreshCatalog({ store, catalog }: FlowEditor): { readonly again: () => void } | undefined {
  const { failure, again } = useRead(
    'catalog',
    async () => {
      await catalog.refresh(store.state().flow)
      return true
    },
    { everyMs: FRESH_MS },
  )
  return failure === undefined ? undefined : { again: () => void again() }
}
