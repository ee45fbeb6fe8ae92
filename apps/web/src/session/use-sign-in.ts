import { writeSignInMessage } from '@farebox/platform-api/internal/me/sign-in-message'
import { formatAddress } from '../format/address.ts'
import { useAction } from '../site/action.ts'
import { answers } from '../site/answers.ts'
import { ApiFailure } from '../site/ask.ts'
import { useRead } from '../site/question.ts'
import { useSite } from '../site/site.ts'
import { WalletProblem, type Wallet } from '../wallet/wallet.ts'

/** The state of a sign-in. */
export interface SignIn {
  /** The full text that the wallet is asked to sign; undefined until it is loaded. */
  readonly message: string | undefined
  readonly isSigning: boolean
  /** The last failure, in one sentence. */
  readonly problem: string | undefined
  /** Asks the wallet to sign. */
  readonly sign: () => void
  /** Requests a new text to sign from the platform. */
  readonly again: () => void
}

/** The terms are valid for five minutes; new ones are requested before they expire. */
const TERMS_MS = 240_000

/** Signs a wallet's owner in (EIP-4361). The session is an HttpOnly cookie. */
export function useSignIn(wallet: Wallet | undefined, signedIn: () => void): SignIn {
  const { ask } = useSite()
  const terms = useRead(
    wallet?.address,
    async signal => await ask('/v1/sessions/nonces', answers.signInTerms, { method: 'POST', signal }),
    { everyMs: TERMS_MS },
  )
  const message =
    terms.answer === undefined || wallet === undefined
      ? undefined
      : writeSignInMessage(terms.answer, formatAddress(wallet.address))
  const signing = useAction(async () => {
    if (wallet === undefined || message === undefined) return
    try {
      const signature = await wallet.signMessage(message)
      await ask('/v1/sessions', answers.none, { method: 'POST', body: { message, signature } })
    } catch (error) {
      // The platform may have consumed the signed message, so a new one is requested.
      if (!(error instanceof WalletProblem)) await terms.again()
      throw error
    }
    signedIn()
  }, explain)
  const unread = terms.failure === undefined ? undefined : explain(terms.failure)
  return {
    message,
    isSigning: signing.state === 'busy',
    problem: signing.state === 'failed' ? signing.sentence : unread,
    sign: signing.act,
    again() {
      signing.forget()
      void terms.again()
    },
  }
}

function explain(error: unknown): string {
  if (error instanceof WalletProblem) return `${error.message} You are not signed in.`
  if (error instanceof ApiFailure && /is not by the address/.test(error.message))
    return 'The wallet signed with a different account from the one shown here. In your wallet, switch to the account shown here and sign again.'
  return error instanceof ApiFailure
    ? `You are not signed in. ${error.message}`
    : 'You are not signed in. The wallet did not respond.'
}
