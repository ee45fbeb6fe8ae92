import type { ReactNode } from 'react'
import { Note } from '../parts/note.tsx'
import { Sheet } from '../parts/sheet.tsx'
import { Address } from '../parts/short.tsx'
import { usePurse } from '../purse/purse-context.ts'
import { useSite } from '../site/site.ts'
import type { Wallet } from '../wallet/wallet.ts'
import { useSignIn, type SignIn } from './use-sign-in.ts'

/** A sheet for signing in: the wallet signs a text that is shown in full. */
export function SignInSheet(props: {
  /** The reason for signing in, in one sentence. */
  readonly why: string
  /** Called once the session has begun. */
  readonly signedIn: () => void
  readonly close: () => void
}): ReactNode {
  const { why, signedIn, close } = props
  const { wallet, choose } = usePurse()
  const { platform } = useSite()
  const isHome = location.origin === new URL(platform.public_url).origin
  const signIn = useSignIn(isHome ? wallet : undefined, signedIn)
  const { message, isSigning, sign } = signIn
  return (
    <Sheet labelledBy="sign-in" close={close}>
      <h2 id="sign-in">Sign in</h2>
      <p className="quiet above">
        {why} You sign a message with your wallet. This is free, does not send a transaction, and does not let
        anyone move your money.
      </p>
      {!isHome && <Elsewhere home={platform.public_url} />}
      {isHome && wallet !== undefined && <Message wallet={wallet} signIn={signIn} />}
      <Problem signIn={signIn} />
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

/** Shown at another address than the platform's own. The text to sign names the platform, so it is not signed here. */
function Elsewhere({ home }: { readonly home: string }): ReactNode {
  return (
    <Note tone="warn">
      <p>
        You can sign in only at this platform’s own address.{' '}
        <a href={`${home}${location.pathname}${location.search}`}>Open this page at {home}</a>
      </p>
    </Note>
  )
}

/** The wallet that signs, and the full text. */
function Message({ wallet, signIn }: { readonly wallet: Wallet; readonly signIn: SignIn }): ReactNode {
  const { chooseOther } = usePurse()
  return (
    <>
      <p className="whom">
        <b>
          <bdi>{wallet.name}</bdi>
        </b>{' '}
        <Address of={wallet.address} />{' '}
        <button type="button" className="link small" disabled={signIn.isSigning} onClick={chooseOther}>
          Use another wallet
        </button>
      </p>
      <p className="small quiet">Message to sign:</p>
      <pre className="code whole" tabIndex={0}>
        {signIn.message ?? 'Loading the message to sign…'}
      </pre>
    </>
  )
}

function Problem({ signIn: { problem, message, again } }: { readonly signIn: SignIn }): ReactNode {
  if (problem === undefined) return null
  return (
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
  )
}
