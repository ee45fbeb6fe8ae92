import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'

/** Says what it is where it turns up in the wrong place. */
const PREFIX = 'job_'
const TOKEN_BYTES = 32

/** A token that opens one job, and the only form of it that is kept. */
export interface JobToken {
  readonly token: string
  /** SHA-256, hex. */
  readonly hash: string
}

/** Makes a token nobody can guess. */
export function makeJobToken(): JobToken {
  const token = PREFIX + randomBytes(TOKEN_BYTES).toString('base64url')
  return { token, hash: hashToken(token) }
}

/** Is this one of the tokens of these hashes? */
export function opensJob(token: string, hashes: readonly string[]): boolean {
  const shown = Buffer.from(hashToken(token), 'hex')
  return hashes.some(hash => timingSafeEqual(Buffer.from(hash, 'hex'), shown))
}

/** Is it the one that the order was answered with, which comes first? Those of repeats only read. */
export function mayDelete(token: string, hashes: readonly string[]): boolean {
  return opensJob(token, hashes.slice(0, 1))
}

function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('hex')
}
