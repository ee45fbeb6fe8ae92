import type { CreatedSecret } from '@farebox/platform-api/owners'
import { useState, type ReactNode } from 'react'
import { formatAddress } from '../../format/address.ts'
import { ConfirmSheet } from '../../parts/sheet.tsx'
import { useAction } from '../../site/action.ts'
import { answers } from '../../site/answers.ts'
import { useSite } from '../../site/site.ts'
import { explainSecretChange, failing } from './explain-secret-change.ts'
import type { PayeeWallet } from './payee-wallets.ts'

const MOST_LABEL = 64

/** A form that names a secret and selects the wallets that can receive payments with it; initially all of them. */
export function CreateSecretSheet(props: {
  readonly wallets: readonly PayeeWallet[]
  readonly made: (secret: CreatedSecret) => void
  readonly failed: () => void
  readonly close: () => void
}): ReactNode {
  const { wallets, made, failed, close } = props
  const { ask } = useSite()
  const [label, setLabel] = useState('')
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set())
  const chosen = wallets.filter(({ address }) => !left.has(address)).map(({ address }) => address)
  const creating = useAction(
    async () => {
      if (chosen.length === 0) throw new NoWallet()
      const name = label.trim()
      const body = { ...(name !== '' && { label: name }), wallets: chosen }
      // Shown even if the sheet was closed meanwhile, because the secret cannot be shown again.
      made(await failing(ask('/v1/me/secrets', answers.createdSecret, { method: 'POST', body }), failed))
    },
    error => (error instanceof NoWallet ? error.message : explainSecretChange(error, 'made')),
  )
  return (
    <ConfirmSheet
      id="create-secret"
      title="Create a secret"
      keep="Not now"
      close={close}
      look="solid"
      words="Create the secret"
      busyWords="Creating…"
      acting={creating}
    >
      <p className="quiet above">
        Your agent uses this secret to identify itself to the facilitator. The facilitator then accepts
        payments only to the wallets you select here.
      </p>
      <p className="field">
        <label className="label" htmlFor="secret-label">
          <b>Name</b>
          <span className="end">for your reference, up to {MOST_LABEL} characters</span>
        </label>
        <input
          id="secret-label"
          className="input"
          value={label}
          maxLength={MOST_LABEL}
          autoComplete="off"
          placeholder="Text statistics on the new server"
          onChange={event => setLabel(event.target.value)}
        />
      </p>
      <WalletPicks wallets={wallets} left={left} setLeft={setLeft} />
    </ConfirmSheet>
  )
}

/** The wallets as checkboxes. */
function WalletPicks(props: {
  readonly wallets: readonly PayeeWallet[]
  /** Addresses that are not selected. */
  readonly left: ReadonlySet<string>
  readonly setLeft: (left: ReadonlySet<string>) => void
}): ReactNode {
  const { wallets, left, setLeft } = props
  const toggle = (address: string): void => {
    const next = new Set(left)
    if (!next.delete(address)) next.add(address)
    setLeft(next)
  }
  return (
    <fieldset className="field">
      <legend className="label">
        <b>Wallets that can receive payments</b>
      </legend>
      <ul className="lines picks">
        {wallets.map(({ address, agents }) => (
          <li key={address}>
            <label>
              <input type="checkbox" checked={!left.has(address)} onChange={() => toggle(address)} />
              <span className="mono">{formatAddress(address)}</span>
              <span className="small quiet">
                {agents.length === 0 ? 'your own address' : <bdi>{agents.join(', ')}</bdi>}
              </span>
            </label>
          </li>
        ))}
      </ul>
    </fieldset>
  )
}

class NoWallet extends Error {
  override readonly message =
    'Select at least one wallet. A secret without a wallet cannot be used to accept payments.'
}
