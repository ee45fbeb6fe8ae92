import { useCallback, useEffect, useMemo, useRef, useState, type ReactNode, type RefObject } from 'react'
import { answers } from '../site/answers.ts'
import { useAsk } from '../site/question.ts'
import { useSite } from '../site/site.ts'
import type { FoundWallet } from '../wallet/browser-wallets.ts'
import type { Wallet } from '../wallet/wallet.ts'
import { ChooseWallet } from './choose-wallet.tsx'
import { PurseProvider, type PurseState } from './purse-context.ts'

/** In the browser's storage: which wallet was chosen last, by its id. */
const CHOSEN = 'farebox-wallet'
const BALANCE_MS = 30_000
/** A wallet of the browser that does not say whether it knows this page is not waited for any longer. */
const OPENING_MS = 3_000

/** Holds the wallet of a page's reader. On a local chain there is a test wallet from the start. */
export function WalletPurse({ children }: { readonly children: ReactNode }): ReactNode {
  const { platform } = useSite()
  const [wallet, setWallet] = useState<Wallet>()
  const [isReady, setReady] = useState(false)
  const [found, setFound] = useState<readonly FoundWallet[]>([])
  const [choosing, setChoosing] = useState<{ readonly done: (wallet: Wallet | undefined) => void }>()
  const path = wallet && `/v1/wallets/${wallet.address}/balance`
  const { answer: balance, again } = useAsk(path, answers.walletBalance, { everyMs: BALANCE_MS })
  // The payer may have chosen the wallet a moment ago: the callback reads the current wallet.
  const refresh = useCallback(() => void again(), [again])
  const { fundAddress, openTest } = useTestWallet()
  const opening = useOpening(openTest, { setWallet, setReady, setFound })
  useAccountChanges(wallet, found, setWallet)
  const connect = useCallback<PurseState['connect']>(
    async ({ another } = { another: false }) => {
      if (!another) {
        const known = wallet ?? (await opening.current)
        if (known !== undefined) return known
      }
      return await new Promise(resolve => setChoosing({ done: resolve }))
    },
    [wallet],
  )
  const fund = useMemo(() => {
    if (!platform.local_mode || wallet === undefined) return undefined
    return async () => {
      await fundAddress(wallet.address)
      refresh()
    }
  }, [platform.local_mode, wallet, fundAddress, refresh])
  const purse = useMemo<PurseState>(() => {
    const choose = (another: boolean): void => void connect({ another }).catch(() => undefined)
    return {
      wallet,
      balance,
      isReady,
      connect,
      choose: () => choose(false),
      chooseOther: () => choose(true),
      fund,
      refresh,
    }
  }, [wallet, balance, isReady, connect, fund, refresh])
  const chosen = (id: string, opened: Wallet): void => {
    localStorage.setItem(CHOSEN, id)
    setWallet(opened)
    choosing?.done(opened)
    setChoosing(undefined)
  }
  return (
    <PurseProvider value={purse}>
      {children}
      {choosing !== undefined && (
        <ChooseWallet
          found={found}
          openTest={platform.local_mode ? openTest : undefined}
          chosen={chosen}
          close={() => {
            choosing.done(undefined)
            setChoosing(undefined)
          }}
        />
      )}
    </PurseProvider>
  )
}

/** The test wallet of a local chain, and what pays into a wallet there. */
function useTestWallet(): {
  readonly fundAddress: (address: string) => Promise<void>
  readonly openTest: () => Promise<Wallet>
} {
  const { ask } = useSite()
  const fundAddress = useCallback(
    async (address: string): Promise<void> => {
      await ask('/v1/local/faucet', answers.none, { method: 'POST', body: { address } })
    },
    [ask],
  )
  const openTest = useCallback(async (): Promise<Wallet> => {
    const [{ openTestWallet }, { testKeyStore }] = await Promise.all([
      import('../wallet/test-wallet/test-wallet.ts'),
      import('../kept/test-key-store.ts'),
    ])
    const opened = await openTestWallet(testKeyStore, ask)
    // Until it has answered the wallet may be empty; what pays says so then.
    await fundAddress(opened.address).catch(() => undefined)
    return opened
  }, [ask, fundAddress])
  return { fundAddress, openTest }
}

/** The wallet that is there without asking; who pays before it is open waits for it. */
function useOpening(
  openTest: () => Promise<Wallet>,
  page: {
    readonly setWallet: (wallet: Wallet) => void
    readonly setReady: (isReady: boolean) => void
    readonly setFound: (found: readonly FoundWallet[]) => void
  },
): RefObject<Promise<Wallet | undefined> | undefined> {
  const { platform } = useSite()
  const { setWallet, setReady, setFound } = page
  const opening = useRef<Promise<Wallet | undefined>>(undefined)
  useEffect(() => {
    let isGone = false
    let stop = (): void => undefined
    const take = (opened: Wallet | undefined): Wallet | undefined => {
      if (isGone) return undefined
      if (opened !== undefined) setWallet(opened)
      setReady(true)
      return opened
    }
    const start = async (): Promise<Wallet | undefined> => {
      const chosen = localStorage.getItem(CHOSEN)
      const test =
        platform.local_mode && (chosen === null || chosen === 'test') ? take(await openTest()) : undefined
      const { watchWallets, connectWallet } = await import('../wallet/browser-wallets.ts')
      if (isGone) return undefined
      let known: Promise<Wallet | undefined> | undefined
      stop = watchWallets(wallets => {
        setFound(wallets)
        const found = wallets.find(({ id }) => id === chosen)
        if (found !== undefined) known ??= connectWallet(found, false).then(take, () => take(undefined))
      })
      setReady(true)
      return test ?? (await Promise.race([known, pause(OPENING_MS)]))
    }
    opening.current = start().catch(() => take(undefined))
    return () => {
      isGone = true
      stop()
    }
  }, [platform.local_mode, openTest, setWallet, setReady, setFound])
  return opening
}

/** Who changes the account in the wallet means this page as well. */
function useAccountChanges(
  wallet: Wallet | undefined,
  found: readonly FoundWallet[],
  setWallet: (wallet: Wallet | undefined) => void,
): void {
  useEffect(
    () =>
      wallet?.accounts?.watch(() => {
        const known = found.find(({ id }) => id === localStorage.getItem(CHOSEN))
        if (known === undefined) return
        import('../wallet/browser-wallets.ts')
          .then(({ connectWallet }) => connectWallet(known, false))
          .then(setWallet, () => undefined)
      }),
    [wallet, found, setWallet],
  )
}

function pause(ms: number): Promise<undefined> {
  return new Promise(resolve => setTimeout(resolve, ms, undefined))
}
