import { useRef, type ReactNode } from 'react'
import { groupDigits } from '../format/amount.ts'
import { formatAddress } from '../format/address.ts'
import { CopyButton } from '../parts/copy-button.tsx'
import { useSite } from '../site/site.ts'
import { FundButton } from './fund-button.tsx'
import { usePurse } from './purse-context.ts'

/** The wallet and its balance, in the band at the top. */
export function Purse(): ReactNode {
  const { platform } = useSite()
  const { wallet, balance, choose } = usePurse()
  const sheet = useRef<HTMLDialogElement>(null)
  if (wallet === undefined) {
    return (
      <button type="button" className="purse" onClick={choose}>
        <span className="coin" aria-hidden="true" />
        {platform.local_mode ? 'Test wallet' : 'Connect a wallet'}
      </button>
    )
  }
  return (
    <>
      <button
        type="button"
        className="purse"
        aria-haspopup="dialog"
        onClick={() => sheet.current?.showModal()}
      >
        <span className="coin" aria-hidden="true" />
        {balance === undefined ? '…' : groupDigits(balance.usdc)} USDC
        <span className="whose">
          <bdi>{wallet.name}</bdi>
        </span>
      </button>
      <dialog ref={sheet} aria-labelledby="purse-title">
        <PurseSheet close={() => sheet.current?.close()} />
      </dialog>
    </>
  )
}

function PurseSheet({ close }: { readonly close: () => void }): ReactNode {
  const { platform } = useSite()
  const { wallet, balance, chooseOther, fund } = usePurse()
  if (wallet === undefined) return null
  const address = formatAddress(wallet.address)
  return (
    <>
      <h2 id="purse-title">
        <bdi>{wallet.name}</bdi>
      </h2>
      <dl className="facts-list">
        <dt>Address</dt>
        <dd>
          <span className="mono whole">{address}</span> <CopyButton text={() => address}>Copy</CopyButton>
        </dd>
        <dt>Balance</dt>
        <dd>{balance === undefined ? 'not loaded yet' : `${groupDigits(balance.usdc)} USDC`}</dd>
        <dt>Network</dt>
        <dd>
          {platform.local_mode ? 'Local chain' : platform.network_name}, chain ID {platform.chain_id}
        </dd>
      </dl>
      {wallet.kind === 'test' && (
        <p className="hint">
          This wallet’s key is stored in this browser. It is for test money only and has no value elsewhere.
        </p>
      )}
      <div className="acts">
        {platform.spend_permissions_address !== null && (
          <a className="button" href="/limits" onClick={close}>
            Spend limits
          </a>
        )}
        {fund !== undefined && <FundButton fund={fund} />}
        <button
          type="button"
          className="button"
          onClick={() => {
            close()
            chooseOther()
          }}
        >
          Use another wallet
        </button>
        <button type="button" className="button" onClick={close}>
          Close
        </button>
      </div>
    </>
  )
}
