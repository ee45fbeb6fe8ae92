import { randomBytes } from 'node:crypto'
import type { Database } from '@farebox/server/internal/postgres/connect'

/** How long a nonce is valid. */
export const NONCE_MS = 300_000

/** Creates a nonce of 128 random bits as hex, because EIP-4361 requires letters and digits. */
export async function makeNonce(database: Database, nowMs: number): Promise<string> {
  const nonce = randomBytes(16).toString('hex')
  await database.query('make-nonce', 'insert into sign_in_nonces (nonce, expires_at) values ($1, $2)', [
    nonce,
    new Date(nowMs + NONCE_MS),
  ])
  return nonce
}

/** Consumes a nonce. Resolves to true for only one caller over all processes, and only before the nonce expires. */
export async function useNonce(database: Database, nonce: string, nowMs: number): Promise<boolean> {
  const used = await database.query<{ expires_at: Date }>(
    'use-nonce',
    'delete from sign_in_nonces where nonce = $1 returning expires_at',
    [nonce],
  )
  return used.some(row => row.expires_at.getTime() > nowMs)
}
