import type { ReactNode } from 'react'
import { formatAddress } from '../../format/address.ts'
import { Note } from '../../parts/note.tsx'
import { loadSignedIn } from '../../session/load-signed-in.ts'
import { SignedInLine } from '../../session/signed-in-line.tsx'
import { useTerminalSignIn } from '../../session/use-terminal-sign-in.ts'
import { answers } from '../../site/answers.ts'
import { useNavigation } from '../../site/navigation.ts'
import type { PageModule } from '../../site/page.ts'
import { useSite } from '../../site/site.ts'

/** The page that `farebox login --browser` opens. Data: the address that is already signed in; null when there is none. */
export const page: PageModule<{ readonly address: string | null }> = {
  async load({ ask }) {
    const me = await loadSignedIn(async () => await ask('/v1/me', answers.me))
    return { address: me?.address ?? null }
  },
  head: () => ({ title: 'Sign in from your terminal', personal: true }),
  Page: ({ data: { address } }) => (
    <main id="main" className="page gate">
      {address === null ? <TerminalSignIn /> : <AlreadySignedIn address={address} />}
    </main>
  ),
}

function AlreadySignedIn({ address }: { readonly address: string }): ReactNode {
  return (
    <>
      <h1>You are already signed in</h1>
      <SignedInLine address={address} />
      <p className="lede">
        A link from a terminal cannot replace this session. To sign in as someone else, sign out first, then
        open a new link.
      </p>
      <p className="above">
        <a className="button solid" href="/owner">
          Your agents
        </a>
      </p>
    </>
  )
}

function TerminalSignIn(): ReactNode {
  const { go } = useNavigation()
  const state = useTerminalSignIn(() => go('/owner'))
  return (
    <>
      <h1>Sign in from your terminal</h1>
      {state.kind === 'opening' && <Opening />}
      {state.kind === 'shown' && <Code address={state.address} code={state.code} />}
      {state.kind === 'signed-in' && <p className="lede">Signed in. Opening your agents…</p>}
      {state.kind === 'failed' && (
        <Note tone="warn" alert>
          <p>
            <b>You are not signed in.</b> {state.problem}
          </p>
          <p>
            To get a new link, run <code>farebox login --browser</code> in your terminal.
          </p>
        </Note>
      )}
    </>
  )
}

function Opening(): ReactNode {
  return (
    <>
      <p className="lede">Opening the link…</p>
      <noscript>
        <p className="hint">JavaScript is off. Turn it on to sign in.</p>
      </noscript>
    </>
  )
}

function Code({ address, code }: { readonly address: string; readonly code: string }): ReactNode {
  const { platform } = useSite()
  const host = new URL(platform.public_url).host
  return (
    <>
      <p className="lede">
        You will be signed in to <b>{host}</b> in this browser as the owner{' '}
        <span className="mono">{formatAddress(address)}</span>.
      </p>
      <p className="above">Type this code in the terminal where you ran the command:</p>
      <p className="typed-code" aria-label={`Code ${[...code].join(' ')}`}>
        {code.slice(0, 3)}-{code.slice(3)}
      </p>
      <p className="hint" role="status">
        Waiting for the code. It expires after two minutes.
      </p>
      <p className="small quiet above">
        If you did not run <code>farebox login --browser</code> yourself, close this page and do not share the
        code.
      </p>
    </>
  )
}
