/** What hiring needs of the client, which is loaded for the first hire: most agents have no use for it. */
export interface HireClient {
  readonly execute: (typeof import('@farebox/client/execute'))['execute']
  readonly resume: (typeof import('@farebox/client/resume'))['resume']
  readonly readAbout: (typeof import('@farebox/client/agent/read-about'))['readAbout']
  readonly attemptOf: (typeof import('@farebox/client/attempt/paid-attempt'))['attemptOf']
}

/** Loads it. Rejects, saying what to do, where it is not installed: it is an optional peer, as ioredis is. */
export async function loadClient(): Promise<HireClient> {
  try {
    const [{ execute }, { resume }, { readAbout }, { attemptOf }] = await Promise.all([
      import('@farebox/client/execute'),
      import('@farebox/client/resume'),
      import('@farebox/client/agent/read-about'),
      import('@farebox/client/attempt/paid-attempt'),
    ])
    return { execute, resume, readAbout, attemptOf }
  } catch (cause) {
    throw new Error('hiring needs the package @farebox/client: npm install @farebox/client', { cause })
  }
}
