import { useState, type ReactNode } from 'react'
import { ImportProblems } from '../../flows/editing/import-problems.tsx'
import { createDraft } from '../../kept/draft.ts'
import { FileInput, FLOW_FILES } from '../../parts/file-input.tsx'
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
      <FileInput
        className="button"
        accept={FLOW_FILES}
        read={file =>
          void read(file).catch(() => setProblems(['This browser cannot save drafts right now.']))
        }
      >
        Import a flow…
      </FileInput>
      <ImportProblems problems={problems}>
        <b>The file was not imported.</b>
      </ImportProblems>
    </>
  )
}
