import { ApiFailure } from '../site/ask.ts'

/** Reads what is for a signed-in reader alone. Null: nobody is signed in, or the session has ended. */
export async function loadSignedIn<Data>(load: () => Promise<Data>): Promise<Data | null> {
  try {
    return await load()
  } catch (error) {
    if (isSignedOut(error)) return null
    throw error
  }
}

/** Whether the API refused because nobody is signed in. */
export function isSignedOut(error: unknown): boolean {
  return error instanceof ApiFailure && error.status === 401
}
