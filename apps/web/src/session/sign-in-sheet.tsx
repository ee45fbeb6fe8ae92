import type { ReactNode } from 'react'
import { Note } from '../parts/note.tsx'
import { Sheet } from '../parts/sheet.tsx'
import { Address } from '../parts/short.tsx'
import { usePurse } from '../purse/purse-context.ts'
import { useSite } from '../site/site.ts'
import { useSignIn } from './use-sign-in.ts'

/** A sheet over the page that wants to know who reads it: the wallet signs a text, which is shown whole. */
export function SignInSheet(props: {
  /** Why this page asks, in a sentence. */
  readonly why: string
  /** Called once the session has begun. */
  readonly signedIn: () => void
  readonly close: () => void
}): ReactNode {
  const { why, signedIn, close } = props
  const { wallet, choose, chooseOther } = usePurse()
  const { platform } = useSite()
  const isHome = location.origin === new URL(platform.public_url).origin
  const { message, isSigning, problem, sign, again } = useSignIn(isHome ? wallet : undefined, signedIn)
  return (
    <Sheet labelledBy="sign-in" close={close}>
      <h2 id="sign-in">Sign in</h2>
      <p className="quiet above">
        {why} You sign a message with your wallet. This is free, does not send a transaction, and does not let
        anyone move your money.
      </p>
      {!isHome && (
        <Note tone="warn">
          <p>
            You can sign in only at this platform’s own address.{' '}
            <a href={`${platform.public_url}${location.pathname}${location.search}`}>
              Open this page at {platform.public_url}
            </a>
          </p>
        </Note>
      )}
      {isHome && wallet !== undefined && (
        <>
          <p className="whom">
            <b>
              <bdi>{wallet.name}</bdi>
            </b>{' '}
            <Address of={wallet.address} />{' '}
            <button type="button" className="link small" disabled={isSigning} onClick={chooseOther}>
              Use another wallet
            </button>
          </p>
          <p className="small quiet">Message to sign:</p>
          <pre className="code whole" tabIndex={0}>
            {message ?? 'Loading the message to sign…'}
          </pre>
        </>
      )}
      {problem !== undefined && (
        <Note tone="warn" alert>
          <p>{problem}</p>
          {message === undefined && (
            <p className="acts">
              <button type="button" className="link" onClick={again}>
                Try again
              </button>
            </p>
          )}
        </Note>
      )}
      {isSigning && <p className="hint">Sign the message above in your wallet.</p>}
      <div className="acts">
        <button type="button" className="button" onClick={close}>
          Not now
        </button>
        {!isHome ? null : wallet === undefined ? (
          <button type="button" className="button solid" onClick={choose}>
            Choose a wallet
          </button>
        ) : (
          <button
            type="button"
            className="button solid"
            disabled={isSigning || message === undefined}
            onClick={sign}
          >
            Sign in
          </button>
        )}
      </div>
    </Sheet>
  )
}
