import { useState, type ComponentType, type ReactNode } from 'react'
import { createPortal } from 'react-dom'
import { useNavigation } from '../site/navigation.ts'
import { useKeys } from './use-keys.ts'

type SheetOfKeys = ComponentType<{ readonly close: () => void }>

/** The keys of every page, and the button that lists them. Their sheets are loaded when they are opened. */
export function Keyboard(): ReactNode {
  const { go } = useNavigation()
  const [opened, setOpened] = useState<{ readonly Sheet: SheetOfKeys }>()
  const open = (load: () => Promise<SheetOfKeys>): void => {
    load().then(
      Sheet => setOpened({ Sheet }),
      () => undefined,
    )
  }
  const openList = (): void => open(async () => (await import('./key-list.tsx')).KeyList)
  const openCommands = (): void => open(async () => (await import('./command-sheet.tsx')).CommandSheet)
  useKeys({ go, openCommands, openList })
  return (
    <>
      <button type="button" className="link plain keys" onClick={openList}>
        Keyboard shortcuts
      </button>
      {opened !== undefined &&
        createPortal(<opened.Sheet close={() => setOpened(undefined)} />, document.body)}
    </>
  )
}
