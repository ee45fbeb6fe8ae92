import { systemClock } from '@farebox/client/internal/exchange/clock'
import type { AgentPage } from '@farebox/platform-api/agent'
import type { PublicReceipts } from '@farebox/platform-api/public-receipts'
import { answers } from '../../site/answers.ts'
import { useRead } from '../../site/question.ts'
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
  const { agent, receipts: newest } = given
  const path = `/v1/agents/${agent.agent_id}`
  const first = { facts: agent, receipts: newest }
  const { answer: { facts, receipts } = first, again } = useRead(
    path,
    async signal => {
      await systemClock.sleep(COUNTED_MS, signal)
      const [page, list] = await Promise.all([
        ask(path, answers.agentPage, { signal }),
        ask(`${path}/receipts?limit=6`, answers.publicReceipts, { signal }),
      ])
      return { facts: page, receipts: list.receipts }
    },
    { first },
  )
  return { facts, receipts, readSoon: () => void again() }
}
