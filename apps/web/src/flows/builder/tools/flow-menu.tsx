import { withoutSecrets } from '@farebox/flows/document/without-secrets'
import { useState, type ReactNode } from 'react'
import { keepPlaces } from '../../editor/edit-actions.ts'
import type { Autosave } from '../../document/autosave.ts'
import { asCopy } from '../../document/name-by-steps.ts'
import { FileInput, FLOW_FILES } from '../../../parts/file-input.tsx'
import { PopoverButton } from '../../../parts/popover.tsx'
import { ImportProblems } from '../../editing/import-problems.tsx'
import { Sign } from '../../../signs/sign.tsx'
import { useNavigation } from '../../../site/navigation.ts'
import { useEditor, useFlowState } from '../../editor/use-editor.ts'
import { openDraft } from '../../../kept/draft.ts'
import type { FlowEditor } from '../../editor/flow-editor.ts'

/** Rarely needed actions: importing and exporting a file, copying the flow, tidying the canvas. */
export function FlowMenu(props: {
  readonly autosave: Autosave
  /** Whether the canvas is shown. */
  readonly hasCanvas: boolean
}): ReactNode {
  const { autosave, hasCanvas } = props
  const editor = useEditor()
  const { go } = useNavigation()
  const [isOpen, setOpen] = useState(false)
  const close = (): void => setOpen(false)
  const { isEmpty, problems, read } = useImport(close)
  const hasSecrets = useFlowState(({ flow }) =>
    Object.values(flow.steps).some(({ secret = [] }) => secret.length > 0),
  )
  return (
    <PopoverButton
      label="More"
      isOpen={isOpen}
      open={() => setOpen(true)}
      close={close}
      words={<Sign name="more" />}
      buttonClass="button low bare flow-more"
      popoverClass="menu"
    >
      <FileInput className="menu-item" accept={FLOW_FILES} read={file => void read(file)}>
        {isEmpty ? 'Import a flow…' : 'Import as a new flow…'}
      </FileInput>
      <ImportProblems problems={problems}>
        <b>The file is not a valid flow.</b> Your flow has not changed.
      </ImportProblems>
      <MenuItem
        act={() => {
          exportFile(withoutSecrets(editor.store.state().flow))
          close()
        }}
      >
        Export as a file{hasSecrets && ', without secrets'}
      </MenuItem>
      <MenuItem
        act={() => void openDraft(go, asCopy(editor.store.state().flow), { input: autosave.draft().input })}
      >
        Make a copy
      </MenuItem>
      {hasCanvas && (
        <MenuItem
          act={() => {
            close()
            layOut(editor)
          }}
        >
          Tidy up
        </MenuItem>
      )}
    </PopoverButton>
  )
}

function MenuItem({ act, children }: { readonly act: () => void; readonly children: ReactNode }): ReactNode {
  return (
    <button type="button" className="menu-item" onClick={act}>
      {children}
    </button>
  )
}

/** Lays out all steps as in a new flow, and brings the flow into view. */
function layOut(editor: FlowEditor): void {
  const { layout: _, ...flow } = editor.store.state().flow
  editor.store.replace(flow)
  editor.store.edit(keepPlaces(editor))
  editor.fit()
}

/** Imports a flow from a file. It replaces the open flow if that has no steps; otherwise it becomes another flow. */
function useImport(close: () => void): {
  readonly isEmpty: boolean
  /** The problems of the file that was read last. */
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
    // An open flow with steps is not replaced.
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
  // The name of a flow may contain characters that are not valid in a file name.
  link.download = `${
    flow.name
      .toLowerCase()
      .replaceAll(/[^a-z0-9]+/g, '-')
      .replaceAll(/^-|-$/g, '') || 'flow'
  }.flow.json`
  link.click()
  URL.revokeObjectURL(url)
}
