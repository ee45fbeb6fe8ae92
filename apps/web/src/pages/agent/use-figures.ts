import type { AgentPage } from '@farebox/platform-api/agent'
import type { PublicReceipts } from '@farebox/platform-api/public-receipts'
import { useCallback, useEffect, useRef, useState } from 'react'
import { answers } from '../../site/answers.ts'
import { useSite } from '../../site/site.ts'

/** The platform adds a job to an agent's figures within so long. */
const COUNTED_MS = 2_500

type Receipts = PublicReceipts['receipts']

/** The figures of an agent and its newest receipts: as the page came, and read again after a job was paid here. */
export function useFigures(given: { readonly agent: AgentPage; readonly receipts: Receipts }): {
  readonly facts: AgentPage
  readonly receipts: Receipts
  readonly readSoon: () => void
} {
  const { ask } = useSite()
  const [read, setRead] = useState<{ readonly facts: AgentPage; readonly receipts: Receipts }>()
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])
  const path = `/v1/agents/${given.agent.agent_id}`
  const readSoon = useCallback(() => {
    clearTimeout(timer.current)
    timer.current = setTimeout(() => {
      Promise.all([
        ask(path, answers.agentPage),
        ask(`${path}/receipts?limit=6`, answers.publicReceipts),
      ]).then(
        ([facts, { receipts }]) => setRead({ facts, receipts }),
        () => undefined,
      )
    }, COUNTED_MS)
  }, [ask, path])
  return { facts: read?.facts ?? given.agent, receipts: read?.receipts ?? given.receipts, readSoon }
}
