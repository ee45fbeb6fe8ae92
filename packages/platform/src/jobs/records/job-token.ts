import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'

/** Identifies the kind of token, for example when it is found in a wrong place. */
const PREFIX = 'job_'
const TOKEN_BYTES = 32

/** A token that opens one job, and its hash; only the hash is stored. */
export interface JobToken {
  readonly token: string
  /** SHA-256, hex. */
  readonly hash: string
}

/** Creates a random token. */
export function makeJobToken(): JobToken {
  const token = PREFIX + randomBytes(TOKEN_BYTES).toString('base64url')
  return { token, hash: hashToken(token) }
}

/** Whether one of the hashes is the token's. */
export function opensJob(token: string, hashes: readonly string[]): boolean {
  const shown = Buffer.from(hashToken(token), 'hex')
  return hashes.some(hash => timingSafeEqual(Buffer.from(hash, 'hex'), shown))
}

/** Whether the token is the one of the original order, which comes first. Tokens of repeats only allow reading. */
export function mayDelete(token: string, hashes: readonly string[]): boolean {
  return opensJob(token, hashes.slice(0, 1))
}

function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('hex')
}
