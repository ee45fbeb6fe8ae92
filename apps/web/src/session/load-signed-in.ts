import { SIGNED_IN_COOKIE } from '@farebox/platform-api/internal/me/signed-in-cookie'
import { ApiFailure } from '../site/ask.ts'

/** Loads data that only a signed-in reader may see. Null: no reader is signed in, or the session has ended. */
export async function loadSignedIn<Data>(load: () => Promise<Data>): Promise<Data | null> {
  // A request that is sure to be refused is not sent: browsers report each refusal in their console.
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

/** Whether the API refused because no reader is signed in. */
export function isSignedOut(error: unknown): boolean {
  return error instanceof ApiFailure && error.status === 401
}

/** The server has no cookies to read, and no console for its requests. */
function mayBeSignedIn(): boolean {
  if (typeof document === 'undefined') return true
  return document.cookie.split(';').some(pair => pair.trim().startsWith(`${SIGNED_IN_COOKIE}=`))
}

/** For a session that ended before its cookies. */
function forgetSignedIn(): void {
  if (typeof document !== 'undefined') document.cookie = `${SIGNED_IN_COOKIE}=; Path=/; Max-Age=0`
}
