import { printable } from '@farebox/conformance/internal/printable'
import { findNetwork, type Network, networkIds } from '@farebox/payments/networks'
import { nearest } from '@farebox/protocol/internal/problems/nearest'
import { isLocalNetwork, isOnLoopback, type LocalEconomy } from '../keys/local-economy.ts'
import { usageError } from '../command-error.ts'

/**
 * A network as people read it: `Base (eip155:8453)`, `local chain (eip155:84532)`.
 *
 * @param local the economy that is paid in, where it is the one on this machine
 * @param chain the node that is asked, where one is known: it may be of a local chain
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
 * The network that an agent asks to be paid on. One on this machine that asks for the test network of local chains is
 * most likely paid on a local one; without a node nobody can tell.
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

/** The network of a CAIP-2 id that a person typed. */
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

/** Chains whose own coin is not ether. */
const COINS: { readonly [chainId: number]: string } = { 137: 'POL', 43_114: 'AVAX' }

const WEI_DIGITS = 18

export function coinOf({ chainId }: Network): string {
  return COINS[chainId] ?? 'ETH'
}

/** An amount of it in wei as a decimal without trailing zeros: `1_500_000_000_000_000_000n` → `"1.5"`. */
export function formatCoin(wei: bigint): string {
  const digits = wei.toString().padStart(WEI_DIGITS + 1, '0')
  const fraction = digits.slice(-WEI_DIGITS).replace(/0+$/, '')
  const whole = digits.slice(0, -WEI_DIGITS)
  return fraction === '' ? whole : `${whole}.${fraction}`
}
