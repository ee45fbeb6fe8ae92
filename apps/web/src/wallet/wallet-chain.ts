import { findNetwork, type Network } from '@farebox/payments/networks'
import type { Platform } from '@farebox/platform-api/registry'
import { WalletProblem, type Wallet } from './wallet.ts'

/** The allowed ids of local chains: that of Base Sepolia, which standard clients know, or an id of their own. */
const LOCAL_IDS: readonly number[] = [84_532, 31_337]

/**
 * The chain that a wallet signs for, taken from our own table, so that the platform cannot choose the name and the number
 * shown to the reader.
 *
 * @throws {WalletProblem} when the platform contradicts the table, or calls a public chain local
 */
export function findWalletChain({
  network: id,
  chain_id: chainId,
  local_mode: isLocal,
}: Pick<Platform, 'network' | 'chain_id' | 'local_mode'>): Network {
  const network = findNetwork(id)
  if (network === undefined || network.chainId !== chainId)
    throw new WalletProblem(
      'not-allowed',
      'The platform specified a chain that this site does not recognize.',
    )
  if (isLocal && !LOCAL_IDS.includes(chainId))
    throw new WalletProblem(
      'not-allowed',
      `${network.name} is set as a local chain on this platform, but it is not a local chain.`,
    )
  return network
}

/**
 * Switches a wallet to the chain of the platform. A wallet that does not know the chain is asked to add it.
 *
 * @throws {WalletProblem} when the wallet cannot be switched
 */
export async function bringToChain(
  wallet: Pick<Wallet, 'useChain'>,
  platform: Pick<Platform, 'network' | 'chain_id' | 'local_mode'>,
): Promise<void> {
  const { chainId: id, name, publicRpc } = findWalletChain(platform)
  if (platform.local_mode) return await wallet.useChain({ id, name: 'the local chain' })
  await wallet.useChain({ id, name, ...(publicRpc !== undefined && { rpcUrl: publicRpc }) })
}

/** The name of the chain for the reader: from our own table, or else the platform's, for which nothing is signed. */
export function nameWalletChain({
  network,
  network_name: platformName,
}: Pick<Platform, 'network' | 'network_name'>): string {
  return findNetwork(network)?.name ?? platformName
}
