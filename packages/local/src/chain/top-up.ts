import { encodeBalanceOf } from '@farebox/contracts/internal/calls/token-calls'
import { callAnvilForText } from './anvil-rpc.ts'
import { fund } from './faucet.ts'
import type { LocalChain } from './start-chain.ts'

/** The LocalUSDC balance of an address, in atomic units. */
export async function usdcBalance(
  chain: Pick<LocalChain, 'rpcUrl' | 'usdc'>,
  address: string,
): Promise<bigint> {
  const data = encodeBalanceOf(address)
  return BigInt(await callAnvilForText(chain.rpcUrl, 'eth_call', [{ to: chain.usdc, data }, 'latest']))
}

/**
 * Funds a test wallet up to an amount when less than half of that amount is left. Restarts thus neither drain nor inflate
 * the wallet.
 */
export async function topUp(
  chain: Pick<LocalChain, 'rpcUrl' | 'usdc'>,
  address: string,
  usdcAtomic: bigint,
): Promise<void> {
  const balance = await usdcBalance(chain, address)
  if (balance < usdcAtomic / 2n) await fund(chain, address, { usdcAtomic: usdcAtomic - balance })
}
