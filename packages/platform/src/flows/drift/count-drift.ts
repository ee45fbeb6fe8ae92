import type { AgentDrift } from '@farebox/platform-api/flows/drift'
import type { Declaration } from '@farebox/protocol/declaration/declaration'
import { readUsdc } from '@farebox/protocol/money/usdc'
import type { AgentRow } from '../../agents/agent-row.ts'
import type { KnownCapability } from '../../checking/check-flow.ts'
import type { BreakCount } from '../../checking/flows/count-breaks.ts'
import type { PlatformParts } from '../../platform-parts.ts'
import { readCurrent } from '../read-catalog.ts'
import { refuseBusy } from '../refuse-busy.ts'
import { countOrders, readSomeDocuments } from './read-orders.ts'

/** So many reasons are named. */
const MOST_REASONS = 20

/**
 * Counts the flows that a change of an agent would break. Only flows that order what changes are read, a bounded number
 * of them, and each turn in the threads is given a part.
 *
 * @param change.declaration what the agent is to serve
 * @param owner whose turn it is in the threads
 * @throws {Refusal} `unavailable`
 */
export async function countDrift(
  { database, checker }: Pick<PlatformParts, 'database' | 'checker'>,
  { agent, declaration }: { readonly agent: AgentRow; readonly declaration: Declaration },
  owner: string,
): Promise<AgentDrift> {
  const { agentId } = agent
  const orders = await countOrders(database, agentId)
  const names = orders.capabilities.map(({ capability }) => capability)
  const [before, after] = [await describe(agent, names), await describe({ ...agent, declaration }, names)]
  const changed = orders.capabilities.flatMap(({ capability, flows }, index) => {
    const change = compare(before[index], after[index])
    return change === undefined ? [] : [{ capability, change, flows }]
  })
  let [examined, affected] = [0, 0]
  const broken = new Map<string, BreakCount>()
  const wanted = changed.map(({ capability }) => capability)
  for await (const documents of readSomeDocuments(database, agentId, wanted)) {
    const given = { documents, agentId, before, after }
    const counted = await checker.run('breaks', given, owner).catch(refuseBusy)
    examined += documents.length
    affected += counted.affected
    for (const one of counted.broken) {
      const key = `${one.capability} ${one.reason}`
      broken.set(key, { ...one, flows: one.flows + (broken.get(key)?.flows ?? 0) })
    }
  }
  const most = [...broken.values()].toSorted((one, other) => other.flows - one.flows)
  return { flows: orders.flows, changed, examined, affected, broken: most.slice(0, MOST_REASONS) }
}

/** Whether it takes jobs now says nothing of what it declares. */
async function describe(agent: AgentRow, names: readonly string[]): Promise<readonly KnownCapability[]> {
  return await Promise.all(
    names.map(async capability => {
      const current = await readCurrent(agent, capability)
      return {
        agentId: agent.agentId,
        capability,
        current: current && { ...current, state: 'online' as const },
      }
    }),
  )
}

function compare(
  before: KnownCapability | undefined,
  after: KnownCapability | undefined,
): AgentDrift['changed'][number]['change'] | undefined {
  const [was, is] = [before?.current, after?.current]
  if (was?.hash === is?.hash) return undefined
  if (is === null || is === undefined) return 'gone'
  const [price, now] = [readUsdc(was?.price), readUsdc(is.price)]
  return price.ok && now.ok && now.atomic > price.atomic ? 'dearer' : 'changed'
}
