import { encodeBalanceOf } from '@farebox/contracts/internal/calls/token-calls'
import type { JsonRpc } from '@farebox/payments/chain/json-rpc'
import type { Network } from '@farebox/payments/networks'

/** The USDC balance of an address, in atomic units. Rejects when the node does not return it. */
export async function readBalance(rpc: JsonRpc, network: Network, address: string): Promise<bigint> {
  const call = { to: network.asset.address, data: encodeBalanceOf(address) }
  const balance = await rpc.call('eth_call', [call, 'latest'])
  if (typeof balance === 'string' && /^0x[0-9a-f]{64}$/i.test(balance)) return BigInt(balance)
  throw new Error(`balanceOf answered ${JSON.stringify(balance)}`)
}
