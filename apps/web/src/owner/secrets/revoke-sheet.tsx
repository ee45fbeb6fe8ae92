import type { Secret } from '@farebox/platform-api/owners'
import type { ReactNode } from 'react'
import { Note } from '../../parts/note.tsx'
import { Sheet } from '../../parts/sheet.tsx'
import { When } from '../../parts/when.tsx'
import { useAction } from '../../site/action.ts'
import { answers } from '../../site/answers.ts'
import { useSite } from '../../site/site.ts'
import { explainChange, failing } from './explain-change.ts'
import { SecretName } from './secret-name.tsx'

/** What revoking a secret stops, and the button that does it. */
export function RevokeSheet(props: {
  readonly secret: Secret
  readonly revoked: () => void
  readonly failed: () => void
  readonly close: () => void
}): ReactNode {
  const { secret, revoked, failed, close } = props
  const { ask } = useSite()
  const path = `/v1/me/secrets/${encodeURIComponent(secret.secret_id)}`
  const revoking = useAction(
    async () => {
      await failing(ask(path, answers.none, { method: 'DELETE' }), failed)
      revoked()
      return undefined
    },
    error => explainChange(error, 'revoked'),
  )
  return (
    <Sheet labelledBy="revoke" close={close}>
      <h2 id="revoke">
        Revoke <SecretName of={secret} />
      </h2>
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
      {revoking.state === 'failed' && (
        <Note tone="refused" alert>
          <p>{revoking.sentence}</p>
        </Note>
      )}
      <div className="acts">
        <button type="button" className="button" onClick={close}>
          Keep it
        </button>
        <button
          type="button"
          className="button danger"
          disabled={revoking.state === 'busy'}
          onClick={revoking.act}
        >
          {revoking.state === 'busy' ? 'Revoking…' : 'Revoke now'}
        </button>
      </div>
    </Sheet>
  )
}
