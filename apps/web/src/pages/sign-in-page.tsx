import { SignedInLine } from '../session/signed-in-line.tsx'
import { loadSignedIn } from '../session/load-signed-in.ts'
import { SignInGate } from '../session/sign-in-gate.tsx'
import { answers } from '../site/answers.ts'
import type { PageModule } from '../site/page.ts'

interface Data {
  /** A path of this site. */
  readonly next: string
  /** The address that is already signed in; null when there is none. */
  readonly address: string | null
}

/** For links from elsewhere: signs in, and continues at the page that needed it. */
export const page: PageModule<Data> = {
  async load({ query, ask }) {
    const me = await loadSignedIn(async () => await ask('/v1/me', answers.me))
    return { next: readNext(query.get('next')), address: me?.address ?? null }
  },
  head: () => ({ title: 'Sign in', personal: true }),
  Page: ({ data: { next, address } }) =>
    address === null ? (
      <SignInGate
        title="Sign in"
        lede="Sign a message with your wallet to sign in. This browser will keep you signed in for a day. Signing is free and does not send a transaction."
        why="You must sign in to open this page."
        hint="You can browse, try, and pay agents without an account."
        next={next}
      />
    ) : (
      <main id="main" className="page">
        <h1>Signed in</h1>
        <SignedInLine address={address} />
        <p className="above">
          <a className="button solid" href={next}>
            Continue
          </a>
        </p>
      </main>
    ),
}

/** Accepts only a path of this site, so that a link to this page cannot lead to another site. */
function readNext(next: string | null): string {
  return next !== null && /^\/(?![/\\])[\w\-./?=&%#]*$/.test(next) ? next : '/owner'
}
