import type { CreatedSecret, Secret } from '@farebox/platform-api/owners'
import type { ReactNode } from 'react'
import { ConfirmSheet } from '../../parts/sheet.tsx'
import { When } from '../../parts/when.tsx'
import { useAction } from '../../site/action.ts'
import { answers } from '../../site/answers.ts'
import { useSite } from '../../site/site.ts'
import { explainSecretChange, failing } from './explain-secret-change.ts'
import { SecretName } from './secret-name.tsx'

interface Props {
  readonly secret: Secret
  readonly failed: () => void
  readonly close: () => void
}

/** The consequences of revoking a secret, and the button that does it. */
export function RevokeSheet(props: Props & { readonly revoked: () => void }): ReactNode {
  const { secret, revoked, failed, close } = props
  const { ask } = useSite()
  const path = `/v1/me/secrets/${encodeURIComponent(secret.secret_id)}`
  const revoking = useAction(
    async () => {
      await failing(ask(path, answers.none, { method: 'DELETE' }), failed)
      revoked()
    },
    error => explainSecretChange(error, 'revoked'),
  )
  const title = (
    <>
      Revoke <SecretName of={secret} />
    </>
  )
  return (
    <ConfirmSheet
      id="revoke"
      title={title}
      keep="Keep it"
      close={close}
      look="danger"
      words="Revoke now"
      busyWords="Revoking…"
      acting={revoking}
    >
      <p className="quiet above">
        Agents that use this secret will stop accepting payments within seconds. You cannot undo this.
        Payments for jobs they have already delivered will still be settled.
      </p>
      <p className="quiet above">
        {secret.last_used_at === null ? (
          'It has not been used yet.'
        ) : (
          <>
            It was last used <When at={secret.last_used_at} />.
          </>
        )}
      </p>
    </ConfirmSheet>
  )
}

/** The consequences of rotating a secret, and the button that does it. */
export function RotateSheet(props: Props & { readonly made: (secret: CreatedSecret) => void }): ReactNode {
  const { secret, made, failed, close } = props
  const { ask } = useSite()
  const path = `/v1/me/secrets/${encodeURIComponent(secret.secret_id)}/rotate`
  const rotating = useAction(
    async () => {
      // Shown even if the reader has closed the sheet meanwhile, because the secret cannot be shown again.
      made(await failing(ask(path, answers.createdSecret, { method: 'POST' }), failed))
    },
    error => explainSecretChange(error, 'made'),
  )
  const title = (
    <>
      Rotate <SecretName of={secret} />
    </>
  )
  return (
    <ConfirmSheet
      id="rotate"
      title={title}
      keep="Not now"
      close={close}
      look="solid"
      words="Create the new secret"
      busyWords="Rotating…"
      acting={rotating}
    >
      <p className="quiet above">
        This will create a new secret for the same wallets and show it once. Both secrets will work until you
        revoke the old one. Give the new secret to your agent, restart the agent, then revoke the old secret.
      </p>
    </ConfirmSheet>
  )
}
