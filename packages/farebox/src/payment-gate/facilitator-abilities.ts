import { HOLD_EXTENSION, type SupportedResponse } from '@farebox/payments/x402/facilitator-api'
import type { FacilitatorClient } from '@farebox/payments/x402/facilitator-client'
import type { JsonRpc } from '@farebox/payments/chain/json-rpc'
import type { Network } from '@farebox/payments/networks'
import type { Clock } from '@farebox/protocol/time/clock'
import type { Log } from '../log.ts'
import type { FacilitatorClock } from './facilitator-clock.ts'

/** What a gate to a facilitator is made of. */
export interface FacilitatorParts {
  readonly facilitator: FacilitatorClient
  readonly network: Network
  /** A chain node of our own; required where the facilitator does not prove what it says (D9). */
  readonly rpc: JsonRpc | undefined
  readonly clock: Clock
  readonly log: Log
  /** Ours against theirs; without it the two are taken to agree. */
  readonly facilitatorClock?: Pick<FacilitatorClock, 'aheadSeconds'> | undefined
}

/** What the facilitator can do, asked once and remembered for a while; asked again until it has answered. */
export interface FacilitatorAbilities {
  /** Does it hold and prove payments itself (D10)? Undefined while it cannot be reached. */
  holds(timeoutMs: number): Promise<boolean | undefined>
  /** Why payments cannot be verified with it; undefined where they can (D9, D12). */
  refusal(timeoutMs: number): Promise<string | undefined>
}

const REMEMBERED_MS = 10 * 60_000

/** Makes the memory of `/supported`. */
export function createFacilitatorAbilities(parts: FacilitatorParts): FacilitatorAbilities {
  const { facilitator, network, rpc, clock, log } = parts
  let known: { readonly supported: SupportedResponse; readonly untilMs: number } | undefined
  let asking: Promise<SupportedResponse | undefined> | undefined

  const ask = async (timeoutMs: number): Promise<SupportedResponse | undefined> => {
    try {
      const supported = await facilitator.supported({ timeoutMs })
      known = { supported, untilMs: clock.nowMs() + REMEMBERED_MS }
      return supported
    } catch (error) {
      log.warn('the facilitator cannot be reached', {
        cause: error instanceof Error ? error.message : 'no answer',
      })
      // What it could do before it can do still: an outage changes nothing about it.
      return known?.supported
    } finally {
      asking = undefined
    }
  }

  const read = (timeoutMs: number): Promise<SupportedResponse | undefined> => {
    if (known !== undefined && known.untilMs > clock.nowMs()) return Promise.resolve(known.supported)
    asking ??= ask(timeoutMs)
    return asking
  }

  return {
    async holds(timeoutMs) {
      return (await read(timeoutMs))?.extensions.includes(HOLD_EXTENSION)
    },
    async refusal(timeoutMs) {
      const supported = await read(timeoutMs)
      if (supported === undefined) return 'the facilitator cannot be reached'
      return refuseAbilities(supported, { network, asksChain: rpc !== undefined })
    },
  }
}

/** Why payments cannot be taken with a facilitator that supports this (D9); undefined where they can. */
export function refuseAbilities(
  supported: SupportedResponse,
  ours: { readonly network: Network; readonly asksChain: boolean },
): string | undefined {
  const { network, asksChain } = ours
  if (!supported.kinds.some(kind => kind.scheme === 'exact' && kind.network === network.id))
    return `the facilitator does not support ${network.id}`
  if (!supported.extensions.includes(HOLD_EXTENSION) && !asksChain)
    return 'SERVICE_RPC_URL is not set: this facilitator does not prove settlements, so the chain must be asked'
  return undefined
}
