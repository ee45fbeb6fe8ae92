import type { WalletBalance } from '@farebox/platform-api/wallets'
import { createContext, useContext } from 'react'
import type { Wallet } from '../wallet/wallet.ts'

/** The wallet that pays on these pages, and its balance. */
export interface PurseState {
  /** Undefined: none is connected. */
  readonly wallet: Wallet | undefined
  /** As it was last read; undefined: not yet. */
  readonly balance: WalletBalance | undefined
  /** Whether the page has looked for wallets. */
  readonly isReady: boolean
  /**
   * The wallet; the reader is asked where there is none, or where another is wanted. Undefined: the reader has chosen none.
   * Throws a `WalletProblem`. The same function for as long as the page is open.
   */
  connect(options?: { readonly another: boolean }): Promise<Wallet | undefined>
  /** Asks the reader for a wallet where there is none. */
  choose(): void
  /** Asks the reader for another wallet. */
  chooseOther(): void
  /** Asks the local chain for test money for the wallet. Undefined: no local chain, or no wallet. */
  readonly fund: (() => Promise<void>) | undefined
  /** Reads the balance again. The same function for as long as the page is open. */
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
