/** A token we take, on one chain, with the EIP-712 domain its contract was deployed with. */
export interface Asset {
  /** Lower-case contract address. */
  readonly address: string
  readonly symbol: 'USDC'
  readonly decimals: 6
  /** EIP-712 domain: `name` differs between chains, and a wrong one makes every signature invalid. */
  readonly domain: { readonly name: string; readonly version: string }
}

/** A chain payments are taken on. */
export interface Network {
  /** CAIP-2: `eip155:<chain id>`. */
  readonly id: string
  readonly chainId: number
  readonly name: string
  /** The one asset of v1: USDC. */
  readonly asset: Asset
  /**
   * How long after its `validBefore` an authorization that the chain has not seen used can be called dead,
   * measured in the chain's own time: past it no reorganisation we accept could bring it back.
   */
  readonly finalitySeconds: number
  /** The block explorer for a transaction; absent for local chains. */
  readonly explorer?: string
  /** A node that a wallet can be given with the chain, where fees are paid in ETH. */
  readonly publicRpc?: string
}

/**
 * The chains and their USDC, written once and nowhere else: addresses and domains as Circle publishes them for
 * FiatTokenV2 ("USDC addresses", developers.circle.com). Neither payers nor agents can name another domain (D4).
 */
const NETWORKS: readonly Network[] = [
  network(8453, 'Base', '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913', 'USD Coin', {
    explorer: 'https://basescan.org',
    publicRpc: 'https://mainnet.base.org',
  }),
  network(84532, 'Base Sepolia', '0x036cbd53842c5426634e7929541ec2318f3dcf7e', 'USDC', {
    explorer: 'https://sepolia.basescan.org',
    publicRpc: 'https://sepolia.base.org',
  }),
  network(1, 'Ethereum', '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48', 'USD Coin', {
    explorer: 'https://etherscan.io',
  }),
  network(137, 'Polygon', '0x3c499c542cef5e3811e1192ce70d8cc03d5c3359', 'USD Coin', {
    explorer: 'https://polygonscan.com',
  }),
  network(42161, 'Arbitrum', '0xaf88d065e77c8cc2239327c5edb3a432268e5831', 'USD Coin', {
    explorer: 'https://arbiscan.io',
    publicRpc: 'https://arb1.arbitrum.io/rpc',
  }),
  network(43114, 'Avalanche', '0xb97ef9ef8734c71904d8002f8b6bc66dd9c48a6e', 'USD Coin', {
    explorer: 'https://snowtrace.io',
  }),
  // Local chains: LocalUSDC is put at Base Sepolia's address whatever the chain id.
  network(31337, 'Local', '0x036cbd53842c5426634e7929541ec2318f3dcf7e', 'USDC'),
]

const BY_ID: ReadonlyMap<string, Network> = new Map(NETWORKS.map(one => [one.id, one]))

/**
 * The network of a CAIP-2 id, or undefined where we take no payments on it.
 *
 * @example
 * ```ts
 * import { findNetwork, networkIds } from '@farebox/payments/networks'
 *
 * const network = findNetwork('eip155:84532')
 * if (network === undefined) throw new Error(`pay on one of ${networkIds().join(', ')}`)
 * console.log(network.name, network.asset.address) // Base Sepolia 0x036cbd53842c5426634e7929541ec2318f3dcf7e
 * ```
 */
export function findNetwork(id: string): Network | undefined {
  return BY_ID.get(id)
}

/** The CAIP-2 ids we know, for messages that say what would be right. */
export function networkIds(): readonly string[] {
  return [...BY_ID.keys()]
}

function network(
  chainId: number,
  name: string,
  address: string,
  domainName: string,
  places: Pick<Network, 'explorer' | 'publicRpc'> = {},
): Network {
  return {
    id: `eip155:${chainId}`,
    chainId,
    name,
    asset: { address, symbol: 'USDC', decimals: 6, domain: { name: domainName, version: '2' } },
    finalitySeconds: 120,
    ...places,
  }
}
