import type { CreatedSecret } from '@farebox/platform-api/owners'
import { useState, type ReactNode } from 'react'
import { checksumAddress } from '../../format/address.ts'
import { Address } from '../../parts/short.tsx'
import { useSite } from '../../site/site.ts'
import { OnceSheet } from '../once-sheet.tsx'

/** A new secret, this once, with the other lines that an agent needs to be paid by it. */
export function SecretOnce({
  secret,
  kept,
}: {
  readonly secret: CreatedSecret
  readonly kept: () => void
}): ReactNode {
  const { platform } = useSite()
  const [wallet, setWallet] = useState(secret.wallets[0] ?? '')
  const lines = [
    `FACILITATOR_SECRET=${secret.secret}`,
    ...(platform.facilitator_url === null ? [] : [`FACILITATOR_URL=${platform.facilitator_url}`]),
    // Without it an agent is paid on Base, whichever chain this platform is on.
    `SERVICE_NETWORK=${platform.network}`,
    `AGENT_WALLET_ADDRESS=${checksumAddress(wallet)}`,
    'SERVICE_DEV_MODE=false',
  ]
  const old = secret.replaces === null ? '' : ' The old secret works until you revoke it.'
  return (
    <OnceSheet
      title="Your new secret, shown only once"
      lines={lines.join('\n')}
      copy="Copy the lines"
      hint={`Add the lines to your agent’s environment, for example its .env. Then start it with npx farebox start; farebox dev accepts no payments.${old}`}
      kept={kept}
    >
      <p>
        Nobody can show it again, and this platform does not store it. It accepts payments to{' '}
        {secret.wallets.map((address, index) => (
          <span key={address}>
            {index > 0 && (index === secret.wallets.length - 1 ? ' and ' : ', ')}
            <Address of={address} />
          </span>
        ))}
        , and to no other wallet.
      </p>
      {secret.wallets.length > 1 && (
        <p className="field">
          <label className="label" htmlFor="for-wallet">
            <b>Agent wallet in the lines</b>
          </label>
          <select
            id="for-wallet"
            className="input mono"
            value={wallet}
            onChange={event => setWallet(event.target.value)}
          >
            {secret.wallets.map(address => (
              <option key={address} value={address}>
                {checksumAddress(address)}
              </option>
            ))}
          </select>
        </p>
      )}
    </OnceSheet>
  )
}
