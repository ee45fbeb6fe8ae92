import type { Platform } from '@farebox/platform-api/registry'
import { fromAtomic, toAtomic } from '../format/amount.ts'
import { answers } from '../site/answers.ts'
import type { Ask } from '../site/ask.ts'
import { bringToChain } from '../wallet/wallet-chain.ts'
import type { Wallet } from '../wallet/wallet.ts'

/** A platform, and the chain that it is on. */
export interface PlatformOnChain {
  readonly ask: Ask
  readonly platform: Pick<Platform, 'network' | 'chain_id' | 'local_mode'>
}

/**
 * Makes a wallet ready to sign for an amount of USDC, in atomic units: it has enough, and is on the platform's chain.
 * Resolves to what it lacks, in a sentence; undefined: it is ready.
 *
 * @throws {WalletProblem} where it does not get to the chain
 */
export async function readyWallet(
  { ask, platform }: PlatformOnChain,
  wallet: Wallet,
  amount: bigint,
): Promise<string | undefined> {
  // A chain that does not answer rejects here, before the signature: the payment could not be proven, and would expire.
  const balance = await ask(`/v1/wallets/${wallet.address}/balance`, answers.walletBalance)
  const has = toAtomic(balance.usdc)
  if (has !== undefined && has < amount)
    return `${wallet.name} has ${balance.usdc} USDC, but ${fromAtomic(amount)} is required. Nothing was sent.`
  await bringToChain(wallet, platform)
  return undefined
}
