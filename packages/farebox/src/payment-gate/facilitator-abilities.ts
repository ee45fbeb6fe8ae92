import { HOLD_EXTENSION, type SupportedResponse } from '@farebox/payments/x402/facilitator-api'
import type { FacilitatorClient } from '@farebox/payments/x402/facilitator-client'
import type { JsonRpc } from '@farebox/payments/chain/json-rpc'
import type { Network } from '@farebox/payments/networks'
import type { Clock } from '@farebox/protocol/time/clock'
import type { Log } from '../log.ts'
import type { FacilitatorClock } from './facilitator-clock.ts'

/** The parts of a gate to a facilitator. */
export interface FacilitatorParts {
  readonly facilitator: FacilitatorClient
  readonly network: Network
  /** The agent's own chain node; required when the facilitator does not prove its answers (D9). */
  readonly rpc: JsonRpc | undefined
  readonly clock: Clock
  readonly log: Log
  /** The measured difference between the agent's clock and the facilitator's; absent: they are assumed to agree. */
  readonly facilitatorClock?: Pick<FacilitatorClock, 'aheadSeconds'> | undefined
}

/** The facilitator's abilities; the answer is cached for a while, and requested again after a failure. */
export interface FacilitatorAbilities {
  /** Whether the facilitator holds and proves payments itself (D10). Undefined while it cannot be reached. */
  holds(timeoutMs: number): Promise<boolean | undefined>
  /** The reason why payments cannot be verified with the facilitator; undefined when they can (D9, D12). */
  refusal(timeoutMs: number): Promise<string | undefined>
}

const REMEMBERED_MS = 10 * 60_000

/** Makes the cache of `/supported`. */
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
      // The previous answer is used, because an outage does not change the abilities.
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

/** The reason why payments cannot be taken with a facilitator that supports this (D9); undefined when they can. */
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
