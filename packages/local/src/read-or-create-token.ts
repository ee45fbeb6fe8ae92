import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { writeDurably } from './processes/write-durably.ts'

/** Returns a service token of 32 random bytes. It is kept in a file between runs, which other users cannot read. */
export async function readOrCreateToken(file: string): Promise<string> {
  const kept = await readFile(file, 'utf8').catch(() => '')
  if (/^[\w-]{43}$/.test(kept)) return kept
  const token = randomBytes(32).toString('base64url')
  await writeDurably(file, token, 0o600)
  return token
}
