import { LOCAL_USDC_ADDRESS } from '@farebox/contracts/addresses'
import { encodeMint } from '@farebox/contracts/internal/calls/token-calls'
import { callAnvil } from './anvil-rpc.ts'
import { sendTestTransaction } from './send-transaction.ts'
import { TEST_KEYS } from './test-keys.ts'

const LARGEST_UINT256 = 2n ** 256n - 1n

/** The test money to give. An omitted amount is not changed. */
export interface Funding {
  /** The amount to add to the USDC balance of the address, in atomic units: 1_000_000n is one USDC. */
  readonly usdcAtomic?: bigint
  /** The new total balance of the chain's native coin, in wei. */
  readonly wei?: bigint
}

/**
 * Gives test money to an address on a local chain, and resolves when a block contains the change.
 *
 * @param chain - a chain of `startChain`
 * @param address - 0x and 40 hex digits
 * @throws Error when the address or an amount is invalid, and when the token refuses the transfer (paused, blacklisted)
 * @example
 * ```ts
 * import { fund } from '@farebox/local/chain/faucet'
 * import { startChain } from '@farebox/local/chain/start-chain'
 * import { TEST_KEYS } from '@farebox/local/chain/test-keys'
 *
 * const chain = await startChain()
 * await fund(chain, TEST_KEYS.payer.address, { usdcAtomic: 1_000_000n }) // 1 USDC
 * await chain.stop()
 * ```
 */
export async function fund(
  chain: { readonly rpcUrl: string },
  address: string,
  funding: Funding,
): Promise<void> {
  if (!/^0x[0-9a-fA-F]{40}$/.test(address)) {
    throw new Error(`address: must be 0x and 40 hex digits, got ${address}`)
  }
  if (funding.wei !== undefined) {
    refuseAmount('wei', funding.wei)
    await callAnvil(chain.rpcUrl, 'anvil_setBalance', [address, `0x${funding.wei.toString(16)}`])
  }
  if (funding.usdcAtomic !== undefined) await mint(chain.rpcUrl, address, funding.usdcAtomic)
}

async function mint(rpcUrl: string, address: string, usdcAtomic: bigint): Promise<void> {
  refuseAmount('usdcAtomic', usdcAtomic)
  const data = encodeMint(address, usdcAtomic)
  const transaction = { from: TEST_KEYS.faucet.address, to: LOCAL_USDC_ADDRESS, data }
  const receipt = await sendTestTransaction(rpcUrl, transaction)
  if (typeof receipt !== 'object' || receipt === null || !('status' in receipt) || receipt.status !== '0x1') {
    throw new Error(`Minting USDC for ${address} failed: ${JSON.stringify(receipt)}`)
  }
}

function refuseAmount(name: string, amount: bigint): void {
  if (amount < 0n || amount > LARGEST_UINT256)
    throw new Error(`${name}: must be 0 to 2^256 - 1, got ${amount}`)
}
