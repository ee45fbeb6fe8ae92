import { refuseAddress } from '@farebox/payments/crypto/address'
import { CheckFailed } from '../../checking/checker.ts'
import { PROBE_LIMITS } from '../../outbound/limits.ts'
import type { CalledAgent } from '../../outbound/outbound.ts'
import type { PlatformParts } from '../../platform-parts.ts'
import { refuseProbe, type ProbeResult } from './probe-result.ts'
import { failureSentence } from './failure-sentence.ts'

/** The result of `GET /about`: a declaration with its wallet, nothing (404), or a refusal. */
export type ReadAbout = Exclude<ProbeResult, { readonly kind: 'phase-1' }> | { readonly kind: 'missing' }

/**
 * Reads and checks an agent's `/about`: at most 256 KB in 10 s, no redirects (D37), every rule of D28, and a valid
 * wallet address.
 */
export async function readAbout(
  parts: Pick<PlatformParts, 'outbound' | 'checker' | 'crypto'>,
  { endpoint, calledFor }: CalledAgent,
  signal?: AbortSignal,
): Promise<ReadAbout> {
  const answer = await parts.outbound.send({
    url: `${endpoint}/about`,
    method: 'GET',
    calledFor,
    ...PROBE_LIMITS,
    ...(signal && { signal }),
  })
  if (answer.kind === 'answered' && answer.status === 404) return { kind: 'missing' }
  const failure = failureSentence(answer)
  if (failure !== undefined || answer.kind === 'failed')
    return refuseProbe('about', failure ?? 'cannot be reached')
  const checked = await parts.checker
    .run('about', answer.body, new URL(endpoint).host)
    .catch(refusedByChecker)
  if (!checked.ok) return refuseProbe('about', checked.reason)
  const { declaration } = checked
  if (refuseAddress(parts.crypto, declaration.wallet) !== undefined) {
    return refuseProbe('about', 'does not name a wallet with a correct address')
  }
  return { kind: 'agent', declaration, wallet: declaration.wallet.toLowerCase() }
}

/** Refuses a declaration that is too expensive to check; other errors are thrown again. */
function refusedByChecker(error: unknown): { readonly ok: false; readonly reason: string } {
  if (error instanceof CheckFailed) return { ok: false, reason: error.message }
  throw error
}
