import type { JsonRpc } from '@farebox/payments/chain/json-rpc'
import type { Network } from '@farebox/payments/networks'

/** Selector of `balanceOf(address)`, ERC-20. */
const BALANCE_OF = '0x70a08231'

/** How much USDC an address has, in atomic units. Rejects where the node does not say. */
export async function readBalance(rpc: JsonRpc, network: Network, address: string): Promise<bigint> {
  const data = BALANCE_OF + address.slice(2).toLowerCase().padStart(64, '0')
  const balance = await rpc.call('eth_call', [{ to: network.asset.address, data }, 'latest'])
  if (typeof balance === 'string' && /^0x[0-9a-f]{64}$/i.test(balance)) return BigInt(balance)
  throw new Error(`balanceOf answered ${JSON.stringify(balance)}`)
}
