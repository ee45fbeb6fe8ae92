import type { WalletBalance } from '@farebox/platform-api/wallets'
import { createContext, useContext } from 'react'
import type { Wallet } from '../wallet/wallet.ts'

/** Who pays on these pages, and what they have. */
export interface PurseState {
  /** Undefined: nobody is connected so far. */
  readonly wallet: Wallet | undefined
  /** As it was last read; undefined: not yet. */
  readonly balance: WalletBalance | undefined
  /** Whether a browser has looked for wallets yet. */
  readonly isReady: boolean
  /**
   * The wallet, asked for where there is none, or where another is wanted. Undefined: nobody was chosen. Throws a
   * `WalletProblem`.
   */
  connect(options?: { readonly another: boolean }): Promise<Wallet | undefined>
  /** Asks for a wallet; who declines has chosen none. */
  choose(): void
  /** Asks for another wallet. */
  chooseOther(): void
  /** Asks the local chain for test money for the wallet. Undefined: no local chain, or no wallet. */
  readonly fund: (() => Promise<void>) | undefined
  /** Reads the balance again. */
  refresh(): void
}

const NOBODY: PurseState = {
  wallet: undefined,
  balance: undefined,
  isReady: false,
  connect: () => Promise.resolve(undefined),
  choose() {},
  chooseOther() {},
  fund: undefined,
  refresh() {},
}

const PurseContext = createContext<PurseState>(NOBODY)

/** Hands the purse down to everything inside. */
export const PurseProvider = PurseContext.Provider

/** The purse, anywhere in a page. */
export function usePurse(): PurseState {
  return useContext(PurseContext)
}
