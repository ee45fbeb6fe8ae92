import { fromAtomic, toAtomic } from '../format/amount.ts'
import { answers } from '../site/answers.ts'
import type { Ask } from '../site/ask.ts'
import type { Wallet } from '../wallet/wallet.ts'

/** What a wallet lacks of an amount of USDC, in a sentence; undefined: it has enough. */
export async function findShortage(ask: Ask, wallet: Wallet, amount: bigint): Promise<string | undefined> {
  // Where the chain does not answer, nothing is signed: the payment could not be proven, and would run out.
  const balance = await ask(`/v1/wallets/${wallet.address}/balance`, answers.walletBalance)
  const has = toAtomic(balance.usdc)
  if (has === undefined || has >= amount) return undefined
  return `${wallet.name} has ${balance.usdc} USDC, but ${fromAtomic(amount)} is required. Nothing was sent.`
}
