import type { Platform } from '@farebox/platform-api/registry'
import { fromAtomic, toAtomic } from '../format/amount.ts'
import { answers } from '../site/answers.ts'
import type { Ask } from '../site/ask.ts'
import { bringToChain } from '../wallet/wallet-chain.ts'
import type { Wallet } from '../wallet/wallet.ts'

/** A platform, with the chain that it uses. */
export interface PlatformOnChain {
  readonly ask: Ask
  readonly platform: Pick<Platform, 'network' | 'chain_id' | 'local_mode'>
}

/**
 * Prepares a wallet to sign for an amount of USDC in atomic units: checks its balance, and switches it to the platform's
 * chain. Resolves to a sentence about the missing balance; undefined when the wallet is ready.
 *
 * @throws {WalletProblem} when the wallet cannot be switched to the chain
 */
export async function readyWallet(
  { ask, platform }: PlatformOnChain,
  wallet: Wallet,
  amount: bigint,
): Promise<string | undefined> {
  // If the chain does not answer, this rejects before the signature: the payment could not be proven and would expire.
  const balance = await ask(`/v1/wallets/${wallet.address}/balance`, answers.walletBalance)
  const has = toAtomic(balance.usdc)
  if (has !== undefined && has < amount)
    return `${wallet.name} has ${balance.usdc} USDC, but ${fromAtomic(amount)} is required. Nothing was sent.`
  await bringToChain(wallet, platform)
  return undefined
}
