import type { ReactNode } from 'react'
import { Words } from '../parts/words.tsx'
import { Sheet } from '../parts/sheet.tsx'
import { useAction } from '../site/action.ts'
import { Note } from '../parts/note.tsx'
import type { FoundWallet } from '../wallet/browser-wallets.ts'
import { WalletProblem, type Wallet } from '../wallet/wallet.ts'

interface Props {
  readonly found: readonly FoundWallet[]
  /** Set on a local chain only. */
  readonly openTest: (() => Promise<Wallet>) | undefined
  readonly chosen: (id: string, wallet: Wallet) => void
  readonly close: () => void
}

/** A sheet over a page that needs a wallet: lists the wallets that announced themselves, by their own names. */
export function ChooseWallet(props: Props): ReactNode {
  const { found, openTest, chosen, close } = props
  const asking = useAction(
    async (_left, id: string, open: () => Promise<Wallet | undefined>) => {
      const wallet = await open()
      return () => {
        if (wallet !== undefined) chosen(id, wallet)
      }
    },
    error => (error instanceof WalletProblem ? error.message : 'The wallet did not respond.'),
  )
  const isAsking = asking.state === 'busy'
  return (
    <Sheet labelledBy="choose-wallet" close={close}>
      <h2 id="choose-wallet">Choose a wallet</h2>
      {found.length === 0 && openTest === undefined && (
        <p className="quiet">
          No wallets were found in this browser. Install a wallet or, on a phone, open this page in your
          wallet app’s browser.
        </p>
      )}
      <Choices found={found} openTest={openTest} isAsking={isAsking} open={asking.act} />
      {isAsking && <p className="hint">In your wallet, allow this page to see your address.</p>}
      {asking.state === 'failed' && (
        <Note tone="warn" alert>
          <p>{asking.sentence} Nothing was sent.</p>
        </Note>
      )}
      <div className="acts">
        <button type="button" className="button" onClick={close}>
          Not now
        </button>
      </div>
    </Sheet>
  )
}

function Choices(
  props: Pick<Props, 'found' | 'openTest'> & {
    readonly isAsking: boolean
    readonly open: (id: string, open: () => Promise<Wallet | undefined>) => void
  },
): ReactNode {
  const { found, openTest, isAsking, open } = props
  return (
    <div className="choices">
      {openTest !== undefined && (
        <button type="button" className="button" disabled={isAsking} onClick={() => open('test', openTest)}>
          Test wallet
          <span className="small quiet">test money on this local chain</span>
        </button>
      )}
      {found.map(wallet => (
        <button
          key={wallet.id}
          type="button"
          className="button"
          disabled={isAsking}
          onClick={() =>
            open(wallet.id, async () => {
              const { connectWallet } = await import('../wallet/browser-wallets.ts')
              return await connectWallet(wallet, true)
            })
          }
        >
          {wallet.icon !== undefined && <img src={wallet.icon} alt="" width="22" height="22" />}
          <bdi>{wallet.name}</bdi>
          <span className="small quiet">
            <Words of={wallet.id} most={40} />
          </span>
        </button>
      ))}
    </div>
  )
}
