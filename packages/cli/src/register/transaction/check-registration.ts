import { STAKE_WEI } from '@farebox/contracts/internal/calls/registry-calls'
import { canParseUrl } from '@farebox/protocol/internal/can-parse-url'
import type { Platform, Registration } from '@farebox/platform-api/registry'
import { findNetwork, type Network } from '@farebox/payments/networks'
import { formatCoin } from '../../chain/coin.ts'
import { CommandError } from '../../command-error.ts'
import { printable } from '../../terminal/text.ts'

/**
 * A registration as far as it can be trusted: of the endpoint that was asked for, at the contract and on the chain the
 * platform announces, for no more than the stake there is. The call data is never taken from it.
 */
export function checkRegistration(
  registration: Registration,
  asked: { readonly endpoint: string; readonly described: Platform },
): Registration {
  const { endpoint, stake_wei: stakeWei, registry_address: registry, chain_id: chainId } = registration
  const { described } = asked
  if (hostOf(endpoint) !== hostOf(asked.endpoint)) {
    throw odd(`it would register ${printable(endpoint.slice(0, 200))}, not ${asked.endpoint}`)
  }
  if (BigInt(stakeWei) > STAKE_WEI) {
    throw odd(`it wants ${formatCoin(BigInt(stakeWei))} ETH, and a stake is ${formatCoin(STAKE_WEI)}`)
  }
  if (registry !== described.registry_address || chainId !== described.chain_id) {
    throw odd('its registration is at another contract than it announces')
  }
  if (!isOf(registration.register_page_url, described.public_url)) {
    throw odd('its registration page is at another address than its own')
  }
  return registration
}

export function networkOf({ network, chain_id: chainId }: Platform): Network {
  const known = findNetwork(network)
  if (known !== undefined && known.chainId === chainId) return known
  throw new CommandError(
    `the platform stakes on ${printable(network)}, which is not known here`,
    'a newer @farebox/cli may know it',
  )
}

function hostOf(url: string): string {
  return canParseUrl(url) ? new URL(url).host.replace(/\.(?=$|:)/, '') : ''
}

function isOf(url: string, base: string): boolean {
  return canParseUrl(url) && canParseUrl(base) && new URL(url).origin === new URL(base).origin
}

function odd(reason: string): CommandError {
  return new CommandError(
    `the platform contradicts itself: ${reason}`,
    'nothing was signed; tell who runs it',
  )
}
