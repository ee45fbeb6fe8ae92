import { isAddress } from '@farebox/payments/crypto/address'
import { isObject, parseJson } from '@farebox/protocol/internal/guards/json'

/** The parts of a facilitator's `/supported` that the trial uses. */
export interface Supported {
  /** `eip155:<chain id>`, of the scheme `exact`; `undefined` when the response has no list of kinds. */
  readonly networks: readonly string[] | undefined
  /** Whether it has the hold extension. */
  readonly hasHolds: boolean
  /** The addresses that pay its gas. */
  readonly accounts: readonly string[]
}

const TIMEOUT_MS = 15_000
/** More than any facilitator has; the chain is queried for every account, before and after each case. */
const MAX_NETWORKS = 64
const MAX_ACCOUNTS = 64

/**
 * Requests `/supported`. The content is untrusted: networks and addresses in another form are ignored, as are all beyond 64
 * of each.
 *
 * Rejects with the error of `fetch` when there is no response within 15 s, and with the signal's reason when it aborts.
 */
export async function readSupported(url: string, signal?: AbortSignal): Promise<Supported> {
  const timeout = AbortSignal.timeout(TIMEOUT_MS)
  const answer = await fetch(`${url}/supported`, {
    signal: signal === undefined ? timeout : AbortSignal.any([timeout, signal]),
  })
  const text = await answer.text()
  const supported = answer.ok ? parseJson(text) : undefined
  const { kinds, extensions, signers } = isObject(supported) ? supported : {}
  const lists: readonly unknown[] = isObject(signers) ? Object.values(signers) : []
  return {
    networks: Array.isArray(kinds) ? upTo(MAX_NETWORKS, kinds.flatMap(networkOf)) : undefined,
    hasHolds: Array.isArray(extensions) && extensions.includes('farebox-hold'),
    accounts: upTo(MAX_ACCOUNTS, lists.flatMap(addressesOf)),
  }
}

function networkOf(kind: unknown): readonly string[] {
  if (!isObject(kind) || kind['scheme'] !== 'exact') return []
  const { network } = kind
  return typeof network === 'string' && /^eip155:\d{1,16}$/.test(network) ? [network] : []
}

function addressesOf(list: unknown): readonly string[] {
  return Array.isArray(list) ? list.filter(isAddress) : []
}

function upTo(count: number, all: readonly string[]): readonly string[] {
  return [...new Set(all)].slice(0, count)
}
