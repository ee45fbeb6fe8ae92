import { refuseAddress } from '@farebox/payments/address'
import { checkDeclaration } from '@farebox/protocol/declaration/check-declaration'
import { PROBE_LIMITS } from '../outbound/limits.ts'
import type { PlatformParts } from '../platform-parts.ts'
import { refuse, type Examination } from './examination.ts'
import { failureSentence } from './failure-sentence.ts'
import { readJson } from './read-json.ts'

/** What `GET /about` brought: a declaration with its wallet, nothing (404), or a refusal. */
export type ReadAbout = Exclude<Examination, { readonly kind: 'phase-1' }> | { readonly kind: 'missing' }

/** Reads and checks an agent's `/about`: at most 256 KB in 10 s, no redirects (D37), every rule of D28, a wallet. */
export async function readAbout(
  parts: Pick<PlatformParts, 'outbound' | 'crypto'>,
  endpoint: string,
  signal?: AbortSignal,
): Promise<ReadAbout> {
  const answer = await parts.outbound.send({
    url: `${endpoint}/about`,
    method: 'GET',
    ...PROBE_LIMITS,
    ...(signal && { signal }),
  })
  if (answer.kind === 'answered' && answer.status === 404) return { kind: 'missing' }
  const failure = failureSentence(answer)
  if (failure !== undefined || answer.kind === 'failed')
    return refuse('about', failure ?? 'cannot be reached')
  const json = readJson(answer.body)
  if (!json.ok) return refuse('about', json.reason)
  const checked = checkDeclaration(json.value)
  if (!checked.ok) return refuse('about', 'is not a valid declaration')
  const { declaration } = checked
  if (refuseAddress(parts.crypto, declaration.wallet) !== undefined) {
    return refuse('about', 'does not name a wallet with a correct address')
  }
  return { kind: 'agent', declaration, wallet: declaration.wallet.toLowerCase() }
}
