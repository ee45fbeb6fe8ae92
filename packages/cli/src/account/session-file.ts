import { join } from 'node:path'
import { systemClock } from '@farebox/protocol/time/clock'
import { type Fields, type KeptFile, keptFile } from '../home/record-folder.ts'

export interface KeptSession {
  readonly version: 1
  readonly platform: string
  /** Lower case. */
  readonly address: string
  /** Its holder acts for the owner until the session ends. */
  readonly token: string
  /** Unix seconds; it ends sooner where it is not used for two hours. */
  readonly expiresAt: number
}

/** The session at a platform, in `<home>/sessions`; none where its file holds something else. */
export function sessionFile(home: string, platform: string): KeptFile<KeptSession> {
  const read = (fields: Fields): KeptSession | undefined => asSession(fields, platform)
  return keptFile(join(home, 'sessions'), [platform], '.json', read, 'is none')
}

/** Has it not ended yet? */
export function isLive({ expiresAt }: KeptSession): boolean {
  return expiresAt * 1_000 > systemClock.nowMs()
}

/** The session at a platform that has not ended; undefined where nobody is signed in. */
export async function liveSession(home: string, platform: string): Promise<KeptSession | undefined> {
  const session = await sessionFile(home, platform).read()
  return session !== undefined && isLive(session) ? session : undefined
}

function asSession(fields: Fields, wanted: string): KeptSession | undefined {
  const { version, platform, address, token, expiresAt } = fields
  if (version !== 1 || platform !== wanted || typeof address !== 'string') return undefined
  // It goes into a header: what could break one is no token of a platform.
  if (typeof token !== 'string' || !/^[\x21-\x7e]{1,500}$/.test(token)) return undefined
  return typeof expiresAt === 'number' ? { version, platform, address, token, expiresAt } : undefined
}
