import type { readAbout } from '@farebox/client/agent/read-about'
import type { attemptOf } from '@farebox/client/attempt/paid-attempt'
import type { execute } from '@farebox/client/execute'
import type { resume } from '@farebox/client/resume'

/** What hiring needs of the client, which is loaded for the first hire: most agents have no use for it. */
export interface HireClient {
  readonly execute: typeof execute
  readonly resume: typeof resume
  readonly readAbout: typeof readAbout
  readonly attemptOf: typeof attemptOf
}

/** Loads it. Rejects, saying what to do, where it is not installed: it is an optional peer, as ioredis is. */
export async function loadClient(): Promise<HireClient> {
  try {
    const [calls, again, about, attempts] = await Promise.all([
      import('@farebox/client/execute'),
      import('@farebox/client/resume'),
      import('@farebox/client/agent/read-about'),
      import('@farebox/client/attempt/paid-attempt'),
    ])
    return {
      execute: calls.execute,
      resume: again.resume,
      readAbout: about.readAbout,
      attemptOf: attempts.attemptOf,
    }
  } catch (cause) {
    throw new Error('hiring needs the package @farebox/client: npm install @farebox/client', { cause })
  }
}
