import { printable } from '@farebox/conformance/internal/printable'
import { type EvmCrypto, loadEvmCrypto } from '@farebox/payments/crypto/evm-crypto'
import type { Platform, Registration } from '@farebox/platform-api/registry'
import { type OpenChain, requireChain } from '../../chain/open-chain.ts'
import { isOnLoopback, type LocalEconomy } from '../../keys/local-economy.ts'
import { findPayingKey, type PayingKey } from '../../keys/paying-key.ts'
import { CommandError } from '../../command-error.ts'
import type { World } from '../../world.ts'
import type { ChosenPlatform } from '../platform/find-platform.ts'
import type { RawKeyOptions } from '../platform/register-options.ts'
import { readRegistryStake } from '../registry/call-node.ts'
import { STAKE_WEI } from '@farebox/contracts/internal/calls/registry-calls'
import { canParseUrl } from '@farebox/protocol/internal/can-parse-url'
import { findNetwork, type Network } from '@farebox/payments/networks'
import { formatCoin } from '../../chain/name-network.ts'

export interface OpenRegistry {
  readonly chain: OpenChain
  /** The lower-case address of the contract. */
  readonly address: string
  readonly crypto: EvmCrypto
  /** The URL of its node when it is a test chain on this machine, which creates money on request. */
  readonly testNodeUrl: string | undefined
}

export function localEconomyOf({ local }: ChosenPlatform, described: Platform): LocalEconomy | undefined {
  return described.local_mode && local?.network === described.network ? local : undefined
}

/**
 * Opens the registry that a platform announces, and verifies that it is one: money sent to an address without a contract
 * would be lost.
 */
export async function openRegistry(
  world: World,
  chosen: ChosenPlatform,
  described: Platform,
  { rpcUrl }: RawKeyOptions,
): Promise<OpenRegistry> {
  const network = networkOf(described)
  const local = localEconomyOf(chosen, described)
  const chain = await requireChain(world, { network, rpcUrl, local })
  try {
    const address = described.registry_address
    const crypto = await loadEvmCrypto()
    const stakeWei = await readRegistryStake(chain, address)
    if (stakeWei === BigInt(described.stake_wei)) {
      const testNodeUrl = described.local_mode && isOnLoopback(chain.url) ? chain.url : undefined
      return { chain, address, crypto, testNodeUrl }
    }
    throw new CommandError(
      `there is no registry contract at ${address} on this node's chain`,
      'is it a node of the chain the platform uses? nothing was sent',
    )
  } catch (error) {
    await chain.close()
    throw error
  }
}

/** Returns the key of `--wallet`; by default the one that pays for calls. */
export async function findKey(
  world: World,
  { wallet, passwordFile }: RawKeyOptions,
  local: LocalEconomy | undefined,
): Promise<PayingKey> {
  return await findPayingKey(world, { wallet: wallet === true ? undefined : wallet, passwordFile, local })
}

/**
 * Validates a registration: it must be for the requested endpoint, at the contract and on the chain that the platform
 * announces, and for no more than the contract's stake. Its call data is never used.
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
