import { useSyncExternalStore, type ReactNode } from 'react'
import { When } from '../../../parts/when.tsx'
import type { Autosave, SaveStatus } from '../../document/autosave.ts'

/** Subscribes a component to the save status of the flow. */
export function useSaveStatus(autosave: Autosave): SaveStatus {
  return useSyncExternalStore(autosave.subscribe, autosave.status, autosave.status)
}

/** Says where the newest changes are saved, and since when. */
export function SaveLine({ status }: { readonly status: SaveStatus }): ReactNode {
  switch (status.is) {
    case 'fresh':
      return null
    case 'lost':
      return <span className="bad">Not saved because this browser cannot store the flow</span>
    case 'saved':
      return (
        <>
          Saved <When at={status.at} form="since" />
        </>
      )
    case 'conflict':
      return (
        <>
          Saved in this browser <When at={status.at} form="since" />
        </>
      )
    case 'kept':
      return (
        <>
          {status.behind === 'no-answer'
            ? 'The platform did not respond. Saved in this browser'
            : 'Saved in this browser'}{' '}
          <When at={status.at} form="since" />
        </>
      )
  }
}
