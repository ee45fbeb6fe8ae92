import { join } from 'node:path'
import { systemClock } from '@farebox/protocol/time/clock'
import { type Fields, type KeptFile, keptFile } from './record-folder.ts'

export interface KeptSession {
  readonly version: 1
  readonly platform: string
  /** Lower case. */
  readonly address: string
  /** A bearer token: whoever has it acts for the owner until the session ends. */
  readonly token: string
  /** Unix seconds; the session ends earlier when it is not used for two hours. */
  readonly expiresAt: number
}

/** The file of the session at a platform, in `<home>/sessions`. A file with other content counts as no session. */
export function sessionFile(home: string, platform: string): KeptFile<KeptSession> {
  const read = (fields: Fields): KeptSession | undefined => asSession(fields, platform)
  return keptFile(join(home, 'sessions'), [platform], '.json', read, 'is none')
}

/** Returns whether the session has not ended yet. */
export function isLive({ expiresAt }: KeptSession): boolean {
  return expiresAt * 1_000 > systemClock.nowMs()
}

/** Returns the live session at a platform, or `undefined` when there is none. */
export async function liveSession(home: string, platform: string): Promise<KeptSession | undefined> {
  const session = await sessionFile(home, platform).read()
  return session !== undefined && isLive(session) ? session : undefined
}

function asSession(fields: Fields, wanted: string): KeptSession | undefined {
  const { version, platform, address, token, expiresAt } = fields
  if (version !== 1 || platform !== wanted || typeof address !== 'string') return undefined
  // The token is sent in a header, so a value that could break a header is rejected.
  if (typeof token !== 'string' || !/^[\x21-\x7e]{1,500}$/.test(token)) return undefined
  return typeof expiresAt === 'number' ? { version, platform, address, token, expiresAt } : undefined
}
