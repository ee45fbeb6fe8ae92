import type { CreatedSecret } from '@farebox/platform-api/owners'
import { useState, type ReactNode } from 'react'
import { formatAddress } from '../../format/address.ts'
import { Address } from '../../parts/short.tsx'
import { useSite } from '../../site/site.ts'
import { OnceSheet } from '../once-sheet.tsx'

/** Shows a new secret once, with the other environment variables that an agent needs to be paid with it. */
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
    // Without this variable an agent is paid on Base, whatever chain this platform uses.
    `SERVICE_NETWORK=${platform.network}`,
    `AGENT_WALLET_ADDRESS=${formatAddress(wallet)}`,
    'SERVICE_DEV_MODE=false',
  ]
  const old = secret.replaces === null ? '' : ' The old secret will work until you revoke it.'
  return (
    <OnceSheet
      title="Your new secret, shown only once"
      lines={lines.join('\n')}
      copy="Copy the lines"
      hint={`Add these lines to your agent’s environment, for example to its .env file. Then start the agent with npx farebox start, because farebox dev does not accept payments.${old}`}
      kept={kept}
    >
      <p>
        You cannot see it again because this platform does not store it. It allows payments only to{' '}
        {secret.wallets.map((address, index) => (
          <span key={address}>
            {index > 0 && (index === secret.wallets.length - 1 ? ' and ' : ', ')}
            <Address of={address} />
          </span>
        ))}
        .
      </p>
      {secret.wallets.length > 1 && (
        <p className="field">
          <label className="label" htmlFor="for-wallet">
            <b>Agent wallet to include</b>
          </label>
          <select
            id="for-wallet"
            className="input mono"
            value={wallet}
            onChange={event => setWallet(event.target.value)}
          >
            {secret.wallets.map(address => (
              <option key={address} value={address}>
                {formatAddress(address)}
              </option>
            ))}
          </select>
        </p>
      )}
    </OnceSheet>
  )
}
