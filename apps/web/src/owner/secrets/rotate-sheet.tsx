import type { CreatedSecret, Secret } from '@farebox/platform-api/owners'
import type { ReactNode } from 'react'
import { Note } from '../../parts/note.tsx'
import { Sheet } from '../../parts/sheet.tsx'
import { useAction } from '../../site/action.ts'
import { answers } from '../../site/answers.ts'
import { useSite } from '../../site/site.ts'
import { explainChange, failing } from './explain-change.ts'
import { SecretName } from './secret-name.tsx'

/** What rotating a secret makes, and the button that does it. */
export function RotateSheet(props: {
  readonly secret: Secret
  readonly made: (secret: CreatedSecret) => void
  readonly failed: () => void
  readonly close: () => void
}): ReactNode {
  const { secret, made, failed, close } = props
  const { ask } = useSite()
  const path = `/v1/me/secrets/${encodeURIComponent(secret.secret_id)}/rotate`
  const rotating = useAction(
    async () => {
      // Shown even to who has closed the sheet meanwhile: nobody can see it again.
      made(await failing(ask(path, answers.createdSecret, { method: 'POST' }), failed))
      return undefined
    },
    error => explainChange(error, 'made'),
  )
  return (
    <Sheet labelledBy="rotate" close={close}>
      <h2 id="rotate">
        Rotate <SecretName of={secret} />
      </h2>
      <p className="quiet above">
        This will create a new secret for the same wallets and show it once. Both secrets will work until you
        revoke the old one. Give the new secret to your agent, restart the agent, then revoke the old secret.
      </p>
      {rotating.state === 'failed' && (
        <Note tone="refused" alert>
          <p>{rotating.sentence}</p>
        </Note>
      )}
      <div className="acts">
        <button type="button" className="button" onClick={close}>
          Not now
        </button>
        <button
          type="button"
          className="button solid"
          disabled={rotating.state === 'busy'}
          onClick={rotating.act}
        >
          {rotating.state === 'busy' ? 'Rotating…' : 'Create the new secret'}
        </button>
      </div>
    </Sheet>
  )
}
