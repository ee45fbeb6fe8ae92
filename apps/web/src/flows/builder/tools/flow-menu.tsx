import { withoutSecrets } from '@farebox/flows/document/without-secrets'
import { useRef, useState, type ReactNode } from 'react'
import { keepPlaces } from '../../editor/edit-actions.ts'
import type { Autosave } from '../../document/autosave.ts'
import { FileInput, FLOW_FILES } from '../../../parts/file-input.tsx'
import { Popover } from '../../../parts/popover.tsx'
import { ImportProblems } from '../../editing/import-problems.tsx'
import { Sign } from '../../../signs/sign.tsx'
import { useNavigation } from '../../../site/navigation.ts'
import { useEditor, useFlowState } from '../../editor/use-editor.ts'
import { openDraft } from '../../../kept/draft.ts'

/** What is seldom done with a flow: to a file and from one, a copy, drawn in order again. */
export function FlowMenu(props: {
  readonly autosave: Autosave
  /** Whether it is drawn now. */
  readonly hasCanvas: boolean
}): ReactNode {
  const { autosave, hasCanvas } = props
  const editor = useEditor()
  const { go } = useNavigation()
  const button = useRef<HTMLButtonElement>(null)
  const [isOpen, setOpen] = useState(false)
  const close = (): void => setOpen(false)
  const { isEmpty, problems, read } = useImport(close)
  const hasSecrets = useFlowState(({ flow }) =>
    Object.values(flow.steps).some(({ secret = [] }) => secret.length > 0),
  )
  const copy = async (): Promise<void> => {
    const { flow } = editor.store.state()
    const { input } = autosave.draft()
    await openDraft(go, { ...flow, name: `${flow.name.slice(0, 73)} (copy)` }, { input })
  }
  const layOut = (): void => {
    const { layout: _, ...flow } = editor.store.state().flow
    editor.store.replace(flow)
    editor.store.edit(keepPlaces(editor))
    close()
    editor.fit()
  }
  return (
    <>
      <button
        ref={button}
        type="button"
        className="button low bare flow-more"
        aria-label="More"
        aria-haspopup="dialog"
        onClick={() => setOpen(true)}
      >
        <Sign name="more" />
      </button>
      {isOpen && (
        <Popover
          label="More"
          anchor={() => button.current?.getBoundingClientRect() ?? { left: 0, top: 0, right: 0, bottom: 0 }}
          close={close}
          className="menu below"
        >
          <FileInput className="menu-item" accept={FLOW_FILES} read={file => void read(file)}>
            {isEmpty ? 'Import a flow…' : 'Import as a new flow…'}
          </FileInput>
          <ImportProblems problems={problems}>
            <b>The file is not a valid flow.</b> Your flow has not changed.
          </ImportProblems>
          <button
            type="button"
            className="menu-item"
            onClick={() => {
              exportFile(withoutSecrets(editor.store.state().flow))
              close()
            }}
          >
            Export as a file{hasSecrets && ', without secrets'}
          </button>
          <button type="button" className="menu-item" onClick={() => void copy()}>
            Make a copy
          </button>
          {hasCanvas && (
            <button type="button" className="menu-item" onClick={layOut}>
              Tidy up
            </button>
          )}
        </Popover>
      )}
    </>
  )
}

/** Reads a flow from a file: into the one that is open where it has no steps, else beside it. */
function useImport(close: () => void): {
  readonly isEmpty: boolean
  /** Of the file that was read last. */
  readonly problems: readonly string[]
  readonly read: (file: File) => Promise<void>
} {
  const editor = useEditor()
  const { go } = useNavigation()
  const [problems, setProblems] = useState<readonly string[]>([])
  const isEmpty = useFlowState(({ flow }) => Object.keys(flow.steps).length === 0)
  const read = async (file: File): Promise<void> => {
    const { importFlow } = await import('../../document/import-flow.ts')
    const found = await importFlow(file)
    if (!found.ok) return setProblems(found.problems)
    setProblems([])
    close()
    // What is open here is not replaced.
    if (!isEmpty) return await openDraft(go, found.flow, { query: '?imported=beside' })
    editor.store.replace(found.flow)
    editor.catalog.complete(found.flow).catch(() => undefined)
  }
  return { isEmpty, problems, read }
}

function exportFile(flow: { readonly name: string }): void {
  const url = URL.createObjectURL(
    new Blob([`${JSON.stringify(flow, null, 2)}\n`], { type: 'application/json' }),
  )
  const link = document.createElement('a')
  link.href = url
  // A name of ours: what somebody called the flow is no file name.
  link.download = `${
    flow.name
      .toLowerCase()
      .replaceAll(/[^a-z0-9]+/g, '-')
      .replaceAll(/^-|-$/g, '') || 'flow'
  }.flow.json`
  link.click()
  URL.revokeObjectURL(url)
}
