import type { Refreshed } from '@farebox/platform-api/registry'
import { useState, type ReactNode } from 'react'
import { Words } from '../../parts/words.tsx'
import { useAction } from '../../site/action.ts'
import { answers } from '../../site/answers.ts'
import { ApiFailure, explainFailure } from '../../site/ask.ts'
import { useSite } from '../../site/site.ts'

/** A button that has the platform check an agent now, and then shows the result. */
export function CheckAgain(props: {
  readonly agentId: number
  readonly className: string
  readonly checked?: () => void
}): ReactNode {
  const { agentId, className, checked } = props
  const { ask } = useSite()
  const [found, setFound] = useState<Found>()
  const checking = useAction(async () => {
    setFound(undefined)
    setFound(describe(await ask(`/v1/agents/${agentId}/refresh`, answers.refreshed, { method: 'POST' })))
    return checked
  }, explain)
  const shown = checking.state === 'failed' ? { tone: 'care', words: checking.sentence } : found
  return (
    <>
      <button type="button" className={className} disabled={checking.state === 'busy'} onClick={checking.act}>
        {checking.state === 'busy' ? 'Checking…' : 'Check again now'}
      </button>
      <span role="status" className={shown?.tone}>
        {shown?.words}
      </span>
    </>
  )
}

/** The result of a check. */
interface Found {
  readonly tone: string
  readonly words: ReactNode
}

function describe({ standing, standing_reason: reason, payable, problem, changes }: Refreshed): Found {
  if (problem !== null) {
    const words = (
      <>
        The agent does not respond correctly: <Words of={problem} />
      </>
    )
    return { tone: 'bad', words }
  }
  if (standing !== 'listed') {
    const words = (
      <>
        The agent is {standing}
        {reason !== null && (
          <>
            : <Words of={reason} />
          </>
        )}
      </>
    )
    return { tone: 'bad', words }
  }
  if (!payable)
    return {
      tone: 'care',
      words:
        'The agent responds, but its wallet is not verified, so the platform does not send paid jobs to it.',
    }
  const changed =
    changes.length === 0
      ? 'Nothing changed'
      : `${changes.length} ${changes.length === 1 ? 'change' : 'changes'} found`
  return {
    tone: 'good',
    words: `The agent responds and is listed. ${changed}. The next health check will run automatically.`,
  }
}

function explain(error: unknown): string {
  if (error instanceof ApiFailure && error.status === 429)
    return `The last check was less than a minute ago.${error.retryAfter === undefined ? '' : ` Try again in ${error.retryAfter} s.`}`
  return explainFailure(error)
}
