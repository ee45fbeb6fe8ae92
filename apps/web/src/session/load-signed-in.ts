import { SIGNED_IN_COOKIE } from '@farebox/platform-api/internal/me/signed-in-cookie'
import { ApiFailure } from '../site/ask.ts'

/** Reads what is for a signed-in reader alone. Null: nobody is signed in, or the session has ended. */
export async function loadSignedIn<Data>(load: () => Promise<Data>): Promise<Data | null> {
  // A question that can only be refused is not asked: browsers report each refusal in their console.
  if (!mayBeSignedIn()) return null
  try {
    return await load()
  } catch (error) {
    if (isSignedOut(error)) {
      forgetSignedIn()
      return null
    }
    throw error
  }
}

/** Whether the API refused because nobody is signed in. */
export function isSignedOut(error: unknown): boolean {
  return error instanceof ApiFailure && error.status === 401
}

/** On the server there are no cookies to read; what is asked there reaches no console. */
function mayBeSignedIn(): boolean {
  if (typeof document === 'undefined') return true
  return document.cookie.split(';').some(pair => pair.trim().startsWith(`${SIGNED_IN_COOKIE}=`))
}

/** The session ended by itself, before its cookies did. */
function forgetSignedIn(): void {
  if (typeof document !== 'undefined') document.cookie = `${SIGNED_IN_COOKIE}=; Path=/; Max-Age=0`
}
