import type { readAbout } from '@farebox/client/agent/read-about'
import type { attemptOf } from '@farebox/client/attempt/paid-attempt'
import type { execute } from '@farebox/client/execute'
import type { resume } from '@farebox/client/resume'

/** The client's functions for hiring. They are loaded with the first hire, because most agents do not hire. */
export interface HireClient {
  readonly execute: typeof execute
  readonly resume: typeof resume
  readonly readAbout: typeof readAbout
  readonly attemptOf: typeof attemptOf
}

/** Loads the client. The published runtime has it in a separate file (decision 18). */
export async function loadClient(): Promise<HireClient> {
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
}
