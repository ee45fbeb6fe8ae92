import { useEffect, useState, type Dispatch, type ReactNode, type SetStateAction } from 'react'
import { CopyButton } from '../../../parts/copy-button.tsx'
import { FailureNote } from '../../../parts/note.tsx'
import { PopoverButton } from '../../../parts/popover.tsx'
import { SignInSheet } from '../../../session/sign-in-sheet.tsx'
import { useAction } from '../../../site/action.ts'
import { answers } from '../../../site/answers.ts'
import { useNavigation } from '../../../site/navigation.ts'
import { Sign } from '../../../signs/sign.tsx'
import type { Autosave } from '../../document/autosave.ts'
import { useEditor } from '../../editor/use-editor.ts'

/** In the browser's storage: the flow for which the reader signs in to get a link. */
const WANTED = 'farebox-share'

/** A link that opens the flow for others, without the values that its owner marked as secret. */
export function ShareButton({ autosave }: { readonly autosave: Autosave }): ReactNode {
  const { reload } = useNavigation()
  const sharing = useSharing(autosave)
  const { opened, setOpened } = sharing
  const { saved, draft_id: draftId } = autosave.draft()
  return (
    <>
      <PopoverButton
        label="Share"
        isOpen={opened === 'share'}
        open={() => setOpened('share')}
        close={() => setOpened(before => (before === 'share' ? undefined : before))}
        words={
          <>
            <Sign name="share" /> <span className="word">Share</span>
          </>
        }
        buttonClass="button low share"
        popoverClass="share-popover"
      >
        <h2>Share</h2>
        <ShareLink sharing={sharing} isSaved={saved !== undefined} signIn={() => setOpened('sign-in')} />
      </PopoverButton>
      {opened === 'sign-in' && (
        <SignInSheet
          why="Flows are saved under your wallet address."
          close={() => setOpened(undefined)}
          signedIn={() => {
            setOpened(undefined)
            sessionStorage.setItem(WANTED, draftId)
            void autosave.flush().then(reload)
          }}
        />
      )}
    </>
  )
}

/**
 * The link of a saved flow, with actions to create, copy and revoke it. A flow that exists only in this browser is saved by
 * signing in.
 */
function ShareLink(props: {
  readonly sharing: Sharing
  readonly isSaved: boolean
  readonly signIn: () => void
}): ReactNode {
  const { sharing, isSaved, signIn } = props
  const { link, failure, isEnded } = sharing
  if (!isSaved) {
    return (
      <>
        <p className="small quiet">
          Only flows saved on the platform can be shared, and this flow exists only in this browser. Sign in
          to save it and get a link.
        </p>
        <button type="button" className="button solid" onClick={signIn}>
          Sign in
        </button>
      </>
    )
  }
  return (
    <>
      <p className="small quiet">
        Anyone with the link can see the current flow and copy it. Values that you marked as secret are left
        out. You can revoke the link here at any time, but existing copies will remain.
      </p>
      {link === undefined ? (
        <button type="button" className="button solid" onClick={sharing.share}>
          Create a link
        </button>
      ) : (
        <>
          <p className="row">
            <input className="input mono" readOnly aria-label="Share link" value={link} />
            <CopyButton text={() => link}>Copy</CopyButton>
          </p>
          <button type="button" className="link small" onClick={sharing.end}>
            Revoke the link
          </button>
        </>
      )}
      {isEnded && link === undefined && (
        <p className="small" role="status">
          The link was revoked and no longer works.
        </p>
      )}
      {failure !== undefined && <FailureNote error={failure} />}
    </>
  )
}

type Opened = 'share' | 'sign-in' | undefined

interface Sharing {
  readonly opened: Opened
  readonly setOpened: Dispatch<SetStateAction<Opened>>
  readonly link: string | undefined
  readonly failure: unknown
  /** Whether a link was revoked here. */
  readonly isEnded: boolean
  readonly share: () => void
  readonly end: () => void
}

/** The link of a flow, and which popover or sheet is open for it. */
function useSharing(autosave: Autosave): Sharing {
  const { ask } = useEditor()
  const [opened, setOpened] = useState<Opened>()
  const [link, setLink] = useState<string>()
  const [isEnded, setEnded] = useState(false)
  const { saved, draft_id: draftId } = autosave.draft()
  const sharing = useAction(async (_left, what: 'share' | 'end') => {
    await autosave.flush()
    const flowId = autosave.draft().saved?.flow_id
    if (flowId === undefined) return
    const path = `/v1/flows/${flowId}/share`
    if (what === 'share') {
      const { share_id: id } = await ask(path, answers.flowShared, { method: 'POST' })
      return () => setLink(`${location.origin}/shared/${id}`)
    }
    await ask(path, answers.none, { method: 'DELETE' })
    return () => {
      setLink(undefined)
      setEnded(true)
    }
  })
  // Signing in reloads the page, so the link is created once the flow has been saved.
  const [isWanted, setWanted] = useState(false)
  useEffect(() => {
    if (sessionStorage.getItem(WANTED) !== draftId) return
    sessionStorage.removeItem(WANTED)
    setOpened('share')
    setWanted(true)
  }, [draftId])
  const flowId = saved?.flow_id
  useEffect(() => {
    if (!isWanted || flowId === undefined) return
    setWanted(false)
    sharing.act('share')
    // Runs once, when the flow has been saved.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [isWanted, flowId])
  return {
    opened,
    setOpened,
    link,
    failure: sharing.state === 'failed' ? sharing.error : undefined,
    isEnded,
    share: () => sharing.act('share'),
    end: () => sharing.act('end'),
  }
}
