import { type EvmCrypto, loadEvmCrypto } from '@farebox/payments/crypto/evm-crypto'
import type { Platform } from '@farebox/platform-api/registry'
import { type OpenChain, requireChain } from '../../chain/open-chain.ts'
import { isOnLoopback, type LocalEconomy } from '../../keys/local-economy.ts'
import { findPayingKey, type PayingKey } from '../../keys/paying-key.ts'
import { CommandError } from '../../command-error.ts'
import type { World } from '../../world.ts'
import { networkOf } from './check-registration.ts'
import type { ChosenPlatform } from '../platform/find-platform.ts'
import type { RawKeyOptions } from '../platform/register-options.ts'
import { readStake } from '../registry/call-node.ts'

export interface OpenRegistry {
  readonly chain: OpenChain
  /** Lower-case address of the contract. */
  readonly address: string
  readonly crypto: EvmCrypto
  /** URL of its node, where that is a test chain of this machine: money is made there for the asking. */
  readonly testNodeUrl: string | undefined
}

export function localOf({ local }: ChosenPlatform, described: Platform): LocalEconomy | undefined {
  return described.local_mode && local?.network === described.network ? local : undefined
}

/**
 * Opens the registry that a platform announces, and makes sure that it is one: money sent to an address without a
 * contract is gone.
 */
export async function openRegistry(
  world: World,
  chosen: ChosenPlatform,
  described: Platform,
  { rpcUrl }: RawKeyOptions,
): Promise<OpenRegistry> {
  const network = networkOf(described)
  const local = localOf(chosen, described)
  const chain = await requireChain(world, { network, rpcUrl, local })
  try {
    const address = described.registry_address
    const crypto = await loadEvmCrypto()
    const stakeWei = await readStake(chain, address)
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

/** The key of `--wallet`; where none is named, the one that pays calls. */
export async function findKey(
  world: World,
  { wallet, passwordFile }: RawKeyOptions,
  local: LocalEconomy | undefined,
): Promise<PayingKey> {
  return await findPayingKey(world, { wallet: wallet === true ? undefined : wallet, passwordFile, local })
}
