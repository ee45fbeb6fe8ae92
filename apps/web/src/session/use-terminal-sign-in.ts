import { sleep, systemClock } from '@farebox/protocol/time/clock'
import { answers } from '../site/answers.ts'
import { ApiFailure } from '../site/ask.ts'
import { useRead } from '../site/question.ts'
import { useSite } from '../site/site.ts'

/** The progress of a sign-in from a terminal. */
export type TerminalSignIn =
  | { readonly kind: 'opening' }
  /** The code is shown, and has to be typed in the terminal. */
  | { readonly kind: 'shown'; readonly address: string; readonly code: string }
  | { readonly kind: 'signed-in' }
  | { readonly kind: 'failed'; readonly problem: string }

const ASK_MS = 1_500

/**
 * Opens the link through which this page was reached, and polls until its code has been typed, at most for the two minutes
 * that the link is valid. The id after the `#` is removed from the address at once; a cookie then identifies this browser.
 *
 * @param signedIn called once the code has been typed
 */
export function useTerminalSignIn(signedIn: () => void): TerminalSignIn {
  const { ask } = useSite()
  const { answer, failure } = useRead<TerminalSignIn>('link', async (signal, give) => {
    const linkId = location.hash.slice(1)
    if (linkId !== '') history.replaceState(history.state, '', location.pathname)
    const options = { method: 'POST', signal } as const
    const isSignedIn = async (): Promise<boolean> => {
      try {
        const claimed = await ask('/v1/browser-sign-ins/claim', answers.browserSignInClaimed, options)
        return 'session_id' in claimed
      } catch (error) {
        if (error instanceof ApiFailure && (error.status === 0 || error.status >= 429)) return false
        throw error
      }
    }
    const body = linkId === '' ? {} : { link_id: linkId }
    const { address, code } = await ask('/v1/browser-sign-ins', answers.browserSignInOpened, {
      ...options,
      body,
    })
    give({ kind: 'shown', address, code })
    // The platform ends the sign-in when the link expires; this limit applies if the platform does not answer.
    for (let asked = 0; asked < 120; asked += 1) {
      await sleep(systemClock, ASK_MS, signal)
      signal.throwIfAborted()
      if (!(await isSignedIn())) continue
      signal.throwIfAborted()
      signedIn()
      return { kind: 'signed-in' }
    }
    return { kind: 'failed', problem: 'The platform did not respond.' }
  })
  if (failure !== undefined) return { kind: 'failed', problem: explain(failure) }
  return answer ?? { kind: 'opening' }
}

function explain(error: unknown): string {
  if (!(error instanceof ApiFailure)) return 'Something went wrong on this page.'
  if (error.status === 404) return 'The link expired or was used, or the code was mistyped three times.'
  if (error.status === 409 && /another browser/.test(error.message))
    return 'This link was already opened in another browser. If that was not you, nobody is signed in, because the code was not typed.'
  return error.message
}
