import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { Refusal } from '../http/refusal.ts'
import type { Caller } from '../http/route.ts'
import type { PlatformParts } from '../platform-parts.ts'
import type { RunRow } from './records/run-row.ts'
import { readRunRow, readRunHashes } from './records/run-store.ts'

/** The caller, and the token sent to open a run. */
export interface ShownForRun {
  readonly caller: Caller
  readonly token: string | undefined
}

/** Creates a token that opens one run. */
export function makeRunToken(): string {
  return `run_${randomBytes(32).toString('base64url')}`
}

/** The hash of a run's token; only the hash is stored. */
export function hashRunToken(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}

/** Whether the token is the one of this run, by its hash. */
export function opensRun({ tokenHash }: { readonly tokenHash: Buffer }, token: string): boolean {
  return timingSafeEqual(tokenHash, hashRunToken(token))
}

/**
 * Reads a run for a caller who sends its token or is signed in as its payer.
 *
 * @throws {Refusal} `not_found` for all other callers, whether the run exists or not
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
