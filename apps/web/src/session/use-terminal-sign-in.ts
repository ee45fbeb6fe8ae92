import { useEffect, useState } from 'react'
import { answers } from '../site/answers.ts'
import { ApiFailure } from '../site/ask.ts'
import { useSite } from '../site/site.ts'

/** How far a sign-in by a terminal is. */
export type TerminalSignIn =
  | { readonly kind: 'opening' }
  /** The code waits to be typed in the terminal. */
  | { readonly kind: 'shown'; readonly address: string; readonly code: string }
  | { readonly kind: 'signed-in' }
  | { readonly kind: 'failed'; readonly problem: string }

const LOOK_MS = 1_500

/**
 * Opens the link that this page was reached by, and asks until its code was typed, at most for the two minutes that the
 * link lives. The id after the `#` is taken out of the address at once; from then on a cookie knows this browser.
 *
 * @param isAsked whether there is anything to ask: no where the browser is signed in
 */
export function useTerminalSignIn(isAsked: boolean): TerminalSignIn {
  const { ask } = useSite()
  const [state, setState] = useState<TerminalSignIn>({ kind: 'opening' })
  useEffect(() => {
    if (!isAsked) return undefined
    const aborter = new AbortController()
    const { signal } = aborter
    const linkId = location.hash.slice(1)
    if (linkId !== '') history.replaceState(history.state, '', location.pathname)

    const run = async (): Promise<TerminalSignIn> => {
      const body = linkId === '' ? {} : { link_id: linkId }
      const opened = await ask('/v1/browser-sign-ins', answers.browserSignInOpened, {
        method: 'POST',
        body,
        signal,
      })
      setState({ kind: 'shown', address: opened.address, code: opened.code })
      // The link's end ends it; without an answer of the platform, this does.
      for (let looks = 0; looks < 120; looks += 1) {
        await new Promise(resolve => setTimeout(resolve, LOOK_MS))
        signal.throwIfAborted()
        if (await isSignedIn(signal)) return { kind: 'signed-in' }
      }
      return { kind: 'failed', problem: 'The platform did not respond.' }
    }
    const isSignedIn = async (stop: AbortSignal): Promise<boolean> => {
      try {
        const answer = await ask('/v1/browser-sign-ins/claim', answers.browserSignInClaimed, {
          method: 'POST',
          signal: stop,
        })
        return 'session_id' in answer
      } catch (error) {
        if (error instanceof ApiFailure && (error.status === 0 || error.status >= 429)) return false
        throw error
      }
    }
    run().then(setState, (error: unknown) => {
      if (!signal.aborted) setState({ kind: 'failed', problem: explain(error) })
    })
    return () => aborter.abort()
  }, [ask, isAsked])
  return state
}

function explain(error: unknown): string {
  if (!(error instanceof ApiFailure)) return 'Something went wrong on this page.'
  if (error.status === 404) return 'The link expired or was used, or the code was mistyped three times.'
  if (error.status === 409 && /another browser/.test(error.message))
    return 'This link was already opened in another browser. If that was not you, nobody is signed in, because the code was not typed.'
  return error.message
}
