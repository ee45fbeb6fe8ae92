import { useState, type ReactNode } from 'react'
import { useNavigation } from '../site/navigation.ts'
import { useTakenOver } from '../site/site.ts'
import { SignInSheet } from './sign-in-sheet.tsx'

/** Opens the sheet for signing in, and loads the page again afterwards. */
export function SignInButton({ why, next }: { readonly why: string; readonly next?: string }): ReactNode {
  const { go, reload } = useNavigation()
  const [isOpen, setOpen] = useState(false)
  const isTakenOver = useTakenOver()
  return (
    <>
      <button type="button" className="button solid" disabled={!isTakenOver} onClick={() => setOpen(true)}>
        Sign in
      </button>
      <noscript>
        <p className="hint">JavaScript is off. Turn it on to sign in with your wallet in this browser.</p>
      </noscript>
      {isOpen && (
        <SignInSheet
          why={why}
          close={() => setOpen(false)}
          signedIn={() => {
            setOpen(false)
            if (next === undefined) reload()
            else go(next)
          }}
        />
      )}
    </>
  )
}
