import { printable } from '@farebox/conformance/internal/printable'
import { findNetwork, type Network, networkIds } from '@farebox/payments/networks'
import { nearest } from '@farebox/protocol/internal/problems/nearest'
import { isLocalNetwork, isOnLoopback, type LocalEconomy } from '../keys/local-economy.ts'
import { usageError } from '../command-error.ts'

/**
 * Formats a network for people: `Base (eip155:8453)`, `local chain (eip155:84532)`.
 *
 * @param local the local economy, when the payment is made in it
 * @param chain the node that is used, if one is known: it may belong to a local chain
 */
export function nameNetwork(
  { id, name }: Network,
  local: LocalEconomy | undefined,
  chain?: { readonly isLocal: boolean },
): string {
  const isLocal = (local?.network === id && isLocalNetwork(id)) || chain?.isLocal === true
  return `${isLocal ? 'local chain' : name} (${id})`
}

/**
 * Names the network on which an agent asks to be paid. An agent on this machine that asks for the test network of local
 * chains is probably paid on a local chain; only a node could confirm that.
 */
export function namePaidNetwork(
  network: Network,
  agentUrl: string,
  local: LocalEconomy | undefined,
  chain?: { readonly isLocal: boolean },
): string {
  const isUnclear =
    local === undefined && chain === undefined && isLocalNetwork(network.id) && isOnLoopback(agentUrl)
  return isUnclear ? `${network.name} or a local chain (${network.id})` : nameNetwork(network, local, chain)
}

/** Finds the network of a CAIP-2 id that a person typed. */
export function readNetwork(id: string): Network {
  const network = findNetwork(id)
  if (network !== undefined) return network
  const guess = nearest(id, networkIds())
  const shown = printable(id.slice(0, 40))
  throw usageError(
    `--network: "${shown}" is not known${guess === undefined ? '' : `, did you mean ${guess}?`}`,
    `there is: ${networkIds().join(', ')}`,
  )
}

/** Chains whose native coin is not ether. */
const COINS: { readonly [chainId: number]: string } = { 137: 'POL', 43_114: 'AVAX' }

const WEI_DIGITS = 18

export function coinOf({ chainId }: Network): string {
  return COINS[chainId] ?? 'ETH'
}

/**
 * Formats an amount of the native coin in wei as a decimal without trailing zeros: `1_500_000_000_000_000_000n` → `"1.5"`.
 */
export function formatCoin(wei: bigint): string {
  const digits = wei.toString().padStart(WEI_DIGITS + 1, '0')
  const fraction = digits.slice(-WEI_DIGITS).replace(/0+$/, '')
  const whole = digits.slice(0, -WEI_DIGITS)
  return fraction === '' ? whole : `${whole}.${fraction}`
}
