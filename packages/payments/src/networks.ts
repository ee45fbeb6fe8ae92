/** A token that is accepted on one chain, with the EIP-712 domain of its contract. */
export interface Asset {
  /** Lower-case contract address. */
  readonly address: string
  readonly symbol: 'USDC'
  readonly decimals: 6
  /** EIP-712 domain: `name` differs between chains, and a wrong one makes every signature invalid. */
  readonly domain: { readonly name: string; readonly version: string }
}

/** A chain on which payments are accepted. */
export interface Network {
  /** CAIP-2: `eip155:<chain id>`. */
  readonly id: string
  readonly chainId: number
  readonly name: string
  /** The only asset of v1: USDC. */
  readonly asset: Asset
  /**
   * How long after its `validBefore` an unused authorization counts as permanently unusable, in the chain's own time: after
   * that, no accepted reorganisation can make it usable again.
   */
  readonly finalitySeconds: number
  /** The block explorer for transactions; absent for local chains. */
  readonly explorer?: string
  /** A public node to configure in a wallet together with the chain; fees are paid in ETH. */
  readonly publicRpc?: string
}

/**
 * The only list of chains and their USDC: addresses and domains as Circle publishes them for FiatTokenV2 ("USDC addresses",
 * developers.circle.com). Neither payers nor agents can choose another domain (D4).
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
  // Local chains: LocalUSDC is deployed at Base Sepolia's address whatever the chain id.
  network(31337, 'Local', '0x036cbd53842c5426634e7929541ec2318f3dcf7e', 'USDC'),
]

const BY_ID: ReadonlyMap<string, Network> = new Map(NETWORKS.map(one => [one.id, one]))

/**
 * The network of a CAIP-2 id, or undefined when it is not supported.
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

/** The CAIP-2 ids of all supported networks, for error messages. */
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
