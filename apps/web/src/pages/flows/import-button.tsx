import { useState, type ReactNode } from 'react'
import { createDraft } from '../../kept/draft.ts'
import { Note } from '../../parts/note.tsx'
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
            read(file).catch(() => setProblems(['This browser keeps no drafts just now.']))
          }}
        />
      </label>
      {problems.length > 0 && (
        <Note tone="refused" alert>
          <p>
            <b>It was not imported.</b>
          </p>
          <ul>
            {problems.map(problem => (
              <li key={problem}>
                <bdi>{problem}</bdi>
              </li>
            ))}
          </ul>
        </Note>
      )}
    </>
  )
}
