import { findNetwork, type Network } from '@farebox/payments/networks'
import type { Platform } from '@farebox/platform-api/registry'
import { WalletProblem, type Wallet } from './wallet.ts'

/** The chain ids of local chains: Base Sepolia's, which stock clients know, or a number of its own. */
const LOCAL_IDS: readonly number[] = [84_532, 31_337]

/**
 * The chain that a wallet signs for, by our own table: the name and the number that its person is shown are not the
 * platform's to choose.
 *
 * @throws {WalletProblem} where the platform says otherwise than the table, or calls a public chain a local one
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
 * Brings a wallet to the chain of the platform; a wallet that does not know it is asked to add it.
 *
 * @throws {WalletProblem} where it does not get there
 */
export async function bringToChain(
  wallet: Pick<Wallet, 'useChain'>,
  platform: Pick<Platform, 'network' | 'chain_id' | 'local_mode'>,
): Promise<void> {
  const { chainId: id, name, publicRpc } = findWalletChain(platform)
  if (platform.local_mode) return await wallet.useChain({ id, name: 'the local chain' })
  await wallet.useChain({ id, name, ...(publicRpc !== undefined && { rpcUrl: publicRpc }) })
}

/** The name of that chain for the person who signs: from our own table, or else the platform's, for which nothing is signed. */
export function nameWalletChain({
  network,
  network_name: platformName,
}: Pick<Platform, 'network' | 'network_name'>): string {
  return findNetwork(network)?.name ?? platformName
}
