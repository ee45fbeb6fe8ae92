import { createHash, randomBytes } from 'node:crypto'

/** A newly created secret; only its hash and id may be stored. */
export interface NewSecret {
  readonly id: string
  /** `fbx_<id>_<32 random bytes in base64url><checksum>` */
  readonly secret: string
  readonly hash: Uint8Array
}

/** The checksum lets this code, and scanners for leaked secrets, recognise a secret without a look-up. */
const FORM = /^fbx_([0-9a-f]{16})_([A-Za-z0-9_-]{43})([0-9a-f]{8})$/

/** Creates a FACILITATOR_SECRET. */
export function mintSecret(): NewSecret {
  const id = randomBytes(8).toString('hex')
  const body = `fbx_${id}_${randomBytes(32).toString('base64url')}`
  const secret = body + checksum(body)
  return { id, secret, hash: hashSecret(secret) }
}

/** The public id of a well-formed secret; undefined for anything else. */
export function readSecretId(secret: string): string | undefined {
  const [, id] = FORM.exec(secret) ?? []
  return id !== undefined && checksum(secret.slice(0, -8)) === secret.slice(-8) ? id : undefined
}

/** SHA-256: a slower hash is not needed, because 256 random bits cannot be guessed. */
export function hashSecret(secret: string): Uint8Array {
  return createHash('sha256').update(secret).digest()
}

function checksum(body: string): string {
  return createHash('sha256').update(body).digest('hex').slice(0, 8)
}
