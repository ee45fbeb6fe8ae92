import { useCallback, useEffect, useMemo, useRef, useState, type ReactNode, type RefObject } from 'react'
import { answers } from '../site/answers.ts'
import { useAsk } from '../site/question.ts'
import { useSite } from '../site/site.ts'
import type { FoundWallet } from '../wallet/browser-wallets.ts'
import type { Wallet } from '../wallet/wallet.ts'
import { ChooseWallet } from './choose-wallet.tsx'
import { PurseProvider, type PurseState } from './purse-context.ts'

/** In the browser's storage: the id of the wallet that was chosen last. */
const CHOSEN = 'farebox-wallet'
const BALANCE_MS = 30_000
/** How long a payment waits for a browser wallet to report whether it is connected to this page. */
const OPENING_MS = 3_000

/** Holds the wallet of a page's reader. On a local chain, a test wallet is available from the start. */
export function WalletPurse({ children }: { readonly children: ReactNode }): ReactNode {
  const { platform } = useSite()
  const { fundAddress, openTest } = useTestWallet()
  const { wallet, current, found, isReady, hold } = useHeldWallet(openTest)
  const path = wallet && `/v1/wallets/${wallet.address}/balance`
  const { answer: balance, again } = useAsk(path, answers.walletBalance, { everyMs: BALANCE_MS })
  const refresh = useCallback(() => void again(), [again])
  const { connect, choosing, choose } = useConnect(current)
  const fund = useMemo(() => {
    if (!platform.local_mode || wallet === undefined) return undefined
    return async () => {
      await fundAddress(wallet.address)
      refresh()
    }
  }, [platform.local_mode, wallet, fundAddress, refresh])
  const purse = useMemo<PurseState>(() => {
    const ask = (another: boolean): void => void connect({ another }).catch(() => undefined)
    return {
      wallet,
      balance,
      isReady,
      connect,
      choose: () => ask(false),
      chooseOther: () => ask(true),
      fund,
      refresh,
    }
  }, [wallet, balance, isReady, connect, fund, refresh])
  return (
    <PurseProvider value={purse}>
      {children}
      {choosing && (
        <ChooseWallet
          found={found}
          openTest={platform.local_mode ? openTest : undefined}
          chosen={(id, opened) => {
            localStorage.setItem(CHOSEN, id)
            hold(opened)
            choose(opened)
          }}
          close={() => choose(undefined)}
        />
      )}
    </PurseProvider>
  )
}

/** The test wallet of a local chain, and the faucet of that chain. */
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
    // If the faucet has not answered, the wallet may be empty; the payment then says so.
    await fundAddress(opened.address).catch(() => undefined)
    return opened
  }, [ask, fundAddress])
  return { fundAddress, openTest }
}

/** The wallet in use, as shown by the page. */
interface HeldWallet {
  readonly wallet: Wallet | undefined
  /** The same wallet for a payment, which waits until the wallet has been opened. */
  readonly current: RefObject<Promise<Wallet | undefined>>
  readonly found: readonly FoundWallet[]
  readonly isReady: boolean
  readonly hold: (wallet: Wallet | undefined) => void
}

function useHeldWallet(openTest: () => Promise<Wallet>): HeldWallet {
  const [wallet, setWallet] = useState<Wallet>()
  const [isReady, setReady] = useState(false)
  const [found, setFound] = useState<readonly FoundWallet[]>([])
  const current = useRef<Promise<Wallet | undefined>>(NONE)
  const hold = useCallback((held: Wallet | undefined): void => {
    current.current = Promise.resolve(held)
    setWallet(held)
  }, [])
  useOpening(openTest, current, { hold, setReady, setFound })
  useAccountChanges(wallet, found, hold)
  return { wallet, current, found, isReady, hold }
}

const NONE = Promise.resolve(undefined)

/** Opens a wallet without asking the reader: the test wallet, or the last chosen wallet if it is connected to this page. */
function useOpening(
  openTest: () => Promise<Wallet>,
  current: RefObject<Promise<Wallet | undefined>>,
  page: {
    readonly hold: (wallet: Wallet) => void
    readonly setReady: (isReady: boolean) => void
    readonly setFound: (found: readonly FoundWallet[]) => void
  },
): void {
  const { platform } = useSite()
  const { hold, setReady, setFound } = page
  useEffect(() => {
    let isGone = false
    let stop = (): void => undefined
    const take = (opened: Wallet | undefined): Wallet | undefined => {
      if (isGone) return undefined
      if (opened !== undefined) hold(opened)
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
    current.current = start().catch(() => take(undefined))
    return () => {
      isGone = true
      stop()
    }
  }, [platform.local_mode, openTest, current, hold, setReady, setFound])
}

function pause(ms: number): Promise<undefined> {
  return new Promise(resolve => setTimeout(resolve, ms, undefined))
}

/** Follows changes of the account in the wallet. */
function useAccountChanges(
  wallet: Wallet | undefined,
  found: readonly FoundWallet[],
  hold: (wallet: Wallet | undefined) => void,
): void {
  useEffect(
    () =>
      wallet?.accounts?.watch(() => {
        const known = found.find(({ id }) => id === localStorage.getItem(CHOSEN))
        if (known === undefined) return
        import('../wallet/browser-wallets.ts')
          .then(({ connectWallet }) => connectWallet(known, false))
          .then(hold, () => undefined)
      }),
    [wallet, found, hold],
  )
}

/** Connects the wallet in use, or has the reader choose one. */
function useConnect(current: RefObject<Promise<Wallet | undefined>>): {
  readonly connect: PurseState['connect']
  /** Whether the reader is being asked. */
  readonly choosing: boolean
  /** Called with the reader's choice; undefined when the reader chose none. */
  readonly choose: (wallet: Wallet | undefined) => void
} {
  const [asked, setAsked] = useState<{ readonly done: (wallet: Wallet | undefined) => void }>()
  const connect = useCallback<PurseState['connect']>(
    async ({ another } = { another: false }) => {
      const known = another ? undefined : await current.current
      return known ?? (await new Promise(resolve => setAsked({ done: resolve })))
    },
    [current],
  )
  const choose = (wallet: Wallet | undefined): void => {
    asked?.done(wallet)
    setAsked(undefined)
  }
  return { connect, choosing: asked !== undefined, choose }
}
