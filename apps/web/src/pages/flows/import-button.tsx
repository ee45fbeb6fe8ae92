import { useState, type ReactNode } from 'react'
import { ImportProblems } from '../../flows/editing/import-problems.tsx'
import { createDraft } from '../../kept/draft.ts'
import { useNavigation } from '../../site/navigation.ts'

/** Reads a flow from a file, as a new one of this browser. */
export function ImportButton(): ReactNode {
  const { go } = useNavigation()
  const [problems, setProblems] = useState<readonly string[]>([])
  const read = async (file: File): Promise<void> => {
    const { importFlow } = await import('../../flows/document/import-flow.ts')
    const found = await importFlow(file)
    if (!found.ok) return setProblems(found.problems)
    const { keepDraft } = await import('../../kept/draft-store.ts')
    const draft = createDraft(found.flow)
    await keepDraft(draft)
    go(`/flows/${draft.draft_id}?imported=alone`)
  }
  return (
    <>
      <label className="button">
        Import a flow…
        <input
          type="file"
          className="unseen"
          accept="application/json,.json"
          onChange={({ target }) => {
            const file = target.files?.[0]
            target.value = ''
            if (file === undefined) return
            read(file).catch(() => setProblems(['This browser cannot save drafts right now.']))
          }}
        />
      </label>
      <ImportProblems problems={problems}>
        <b>The file was not imported.</b>
      </ImportProblems>
    </>
  )
}
