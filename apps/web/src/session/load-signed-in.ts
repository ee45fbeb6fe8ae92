import { SIGNED_IN_COOKIE } from '@farebox/platform-api/internal/me/signed-in-cookie'
import { ApiFailure } from '../site/ask.ts'

/** Loads data that only a signed-in reader may see. Null when the reader is signed out or the session has ended. */
export async function loadSignedIn<Data>(load: () => Promise<Data>): Promise<Data | null> {
  // Avoids a request that would certainly be refused, because browsers log each refusal in their console.
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

/** Whether the API refused because the reader is signed out. */
export function isSignedOut(error: unknown): boolean {
  return error instanceof ApiFailure && error.status === 401
}

/** Whether the cookie says that the reader is signed in. Always true on the server, which has no `document.cookie`. */
function mayBeSignedIn(): boolean {
  if (typeof document === 'undefined') return true
  return document.cookie.split(';').some(pair => pair.trim().startsWith(`${SIGNED_IN_COOKIE}=`))
}

/** Removes the cookie of a session that ended before its cookies. */
function forgetSignedIn(): void {
  if (typeof document !== 'undefined') document.cookie = `${SIGNED_IN_COOKIE}=; Path=/; Max-Age=0`
}
