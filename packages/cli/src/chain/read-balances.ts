import { encodeBalanceOf } from '@farebox/contracts/internal/calls/token-calls'
import type { OpenChain } from './open-chain.ts'

export interface Balances {
  /** USDC, in atomic units. */
  readonly usdcAtomic: bigint
  readonly wei: bigint
}

const TIMEOUT_MS = 5_000

/** Reads both balances. Rejects when the node does not return them. */
export async function readBalances(chain: OpenChain, address: string): Promise<Balances> {
  const [usdcAtomic, wei] = await Promise.all([
    readUsdcBalance(chain, address),
    ask(chain, 'eth_getBalance', [address, 'latest']),
  ])
  return { usdcAtomic, wei }
}

/** Reads the USDC balance of an address, in atomic units. Rejects when the node does not return it. */
export async function readUsdcBalance(chain: OpenChain, address: string): Promise<bigint> {
  const call = { to: chain.network.asset.address, data: encodeBalanceOf(address) }
  return await ask(chain, 'eth_call', [call, 'latest'])
}

async function ask({ rpc }: OpenChain, method: string, parameters: readonly unknown[]): Promise<bigint> {
  const answer = await rpc.call(method, parameters, { timeoutMs: TIMEOUT_MS })
  if (typeof answer === 'string' && /^0x[0-9a-f]{1,64}$/i.test(answer)) return BigInt(answer)
  throw new Error(`${method} gave no number: is the token on this chain?`)
}
