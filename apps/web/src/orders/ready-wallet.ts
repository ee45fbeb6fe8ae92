import { fromAtomic, toAtomic } from '../format/amount.ts'
import { answers } from '../site/answers.ts'
import type { Site } from '../site/site.ts'
import { bringToChain } from '../wallet/wallet-chain.ts'
import type { Wallet } from '../wallet/wallet.ts'

/**
 * Makes a wallet ready to sign for an amount of USDC: it has enough, and is on the platform's chain. Resolves to what it
 * lacks, in a sentence; undefined: it is ready.
 *
 * @throws {WalletProblem} where it does not get to the chain
 */
export async function readyWallet(
  { ask, platform }: Pick<Site, 'ask' | 'platform'>,
  wallet: Wallet,
  amount: bigint,
): Promise<string | undefined> {
  // Where the chain does not answer, nothing is signed: the payment could not be proven, and would run out.
  const balance = await ask(`/v1/wallets/${wallet.address}/balance`, answers.walletBalance)
  const has = toAtomic(balance.usdc)
  if (has !== undefined && has < amount)
    return `${wallet.name} has ${balance.usdc} USDC, but ${fromAtomic(amount)} is required. Nothing was sent.`
  await bringToChain(wallet, platform)
  return undefined
}
