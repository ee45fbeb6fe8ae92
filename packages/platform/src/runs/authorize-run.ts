import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { Refusal } from '../http/refusal.ts'
import type { Caller } from '../http/route.ts'
import type { PlatformParts } from '../platform-parts.ts'
import type { RunRow } from './records/run-row.ts'
import { readRunRow, readRunHashes } from './records/run-store.ts'

/** The caller, and the token that they show to open a run. */
export interface ShownForRun {
  readonly caller: Caller
  readonly token: string | undefined
}

/** Makes a token that opens one run. */
export function makeRunToken(): string {
  return `run_${randomBytes(32).toString('base64url')}`
}

/** The only form of a token that is kept. */
export function hashRunToken(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}

/** Whether a token is that of the run with these hashes. */
export function opensRun({ tokenHash }: { readonly tokenHash: Buffer }, token: string): boolean {
  return timingSafeEqual(tokenHash, hashRunToken(token))
}

/**
 * A run for a caller who shows its token, or is signed in as its payer.
 *
 * @throws {Refusal} `not_found` for everybody else, whether there is such a run or not
 */
export async function authorizeRun(
  { database }: Pick<PlatformParts, 'database'>,
  runId: string,
  { caller, token }: ShownForRun,
): Promise<RunRow> {
  const id = runId.toLowerCase()
  const [run, hashes] = await Promise.all([readRunRow(database, id), readRunHashes(database, id)])
  const isPayer = caller.kind === 'owner' && caller.address === run?.payer
  const isShown = hashes !== undefined && token !== undefined && opensRun(hashes, token)
  if (run !== undefined && (isPayer || isShown)) return run
  throw new Refusal(
    'not_found',
    'runId: there is no such run for you: sign in as its payer, or show its run-token',
  )
}
