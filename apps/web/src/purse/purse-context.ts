import type { WalletBalance } from '@farebox/platform-api/wallets'
import { createContext, useContext } from 'react'
import type { Wallet } from '../wallet/wallet.ts'

/** The wallet that pays on these pages, and its balance. */
export interface PurseState {
  /** Undefined when none is connected. */
  readonly wallet: Wallet | undefined
  /** As last read; undefined until then. */
  readonly balance: WalletBalance | undefined
  /** Whether the page has finished looking for wallets. */
  readonly isReady: boolean
  /**
   * Resolves to the connected wallet, after asking the reader if there is none or if `another` is set. Undefined when the
   * reader chooses none. Throws a `WalletProblem`. The function is stable while the page is open.
   */
  connect(options?: { readonly another: boolean }): Promise<Wallet | undefined>
  /** Asks the reader for a wallet if there is none. */
  choose(): void
  /** Asks the reader for another wallet. */
  chooseOther(): void
  /** Requests test money for the wallet from the local chain. Undefined when there is no local chain, or no wallet. */
  readonly fund: (() => Promise<void>) | undefined
  /** Reads the balance again. The function is stable while the page is open. */
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

/** Provides the purse to its descendants. */
export const PurseProvider = PurseContext.Provider

/** The purse, for any component of a page. */
export function usePurse(): PurseState {
  return useContext(PurseContext)
}
