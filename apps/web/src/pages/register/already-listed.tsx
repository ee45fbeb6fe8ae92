import type { ReactNode } from 'react'
import { Note } from '../../parts/note.tsx'
import { Address } from '../../parts/short.tsx'
import { usePurse } from '../../purse/purse-context.ts'

/** An agent that was listed with the endpoint before this visitor came: whose it is, and the way to it. */
export function AlreadyListed(props: { readonly agentId: number; readonly owner: string }): ReactNode {
  const { agentId, owner } = props
  const { wallet } = usePurse()
  const isOwn = wallet?.address === owner
  return (
    <Note tone="info" alert>
      <p>
        <b>Already listed as agent {agentId}</b>, by {isOwn ? 'you' : <Address of={owner} />}. Each endpoint
        can have only one agent, so you cannot stake for this one. You can check another endpoint above.
      </p>
      <p className="acts">
        <a href={`/agents/${agentId}`}>View the agent</a>
        {isOwn && <a href={`/owner/agents/${agentId}`}>Manage it</a>}
      </p>
    </Note>
  )
}
