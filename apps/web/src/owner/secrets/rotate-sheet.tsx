import type { CreatedSecret, Secret } from '@farebox/platform-api/owners'
import { useState, type ReactNode } from 'react'
import { Note } from '../../parts/note.tsx'
import { Sheet } from '../../parts/sheet.tsx'
import { answers } from '../../site/answers.ts'
import { useSite } from '../../site/site.ts'
import { explainChange } from './explain-change.ts'
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
  const [isAsking, setAsking] = useState(false)
  const [problem, setProblem] = useState<string>()
  const rotate = (): void => {
    setAsking(true)
    setProblem(undefined)
    ask(`/v1/me/secrets/${encodeURIComponent(secret.secret_id)}/rotate`, answers.createdSecret, {
      method: 'POST',
    }).then(made, (error: unknown) => {
      setProblem(explainChange(error, 'made'))
      setAsking(false)
      failed()
    })
  }
  return (
    <Sheet labelledBy="rotate" close={close}>
      <h2 id="rotate">
        Rotate <SecretName of={secret} />
      </h2>
      <p className="quiet above">
        This will create a new secret for the same wallets and show it once. Both secrets will work until you
        revoke the old one. Give the new secret to your agent, restart the agent, then revoke the old secret.
      </p>
      {problem !== undefined && (
        <Note tone="refused" alert>
          <p>{problem}</p>
        </Note>
      )}
      <div className="acts">
        <button type="button" className="button" onClick={close}>
          Not now
        </button>
        <button type="button" className="button solid" disabled={isAsking} onClick={rotate}>
          {isAsking ? 'Rotating…' : 'Create the new secret'}
        </button>
      </div>
    </Sheet>
  )
}
