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

/** The most reasons that are returned. */
const MOST_REASONS = 20

/**
 * Counts the flows that a change of an agent would break. Only flows that order a changed capability are read, up to a
 * limit, and they are checked in portions so that no check occupies a thread for long.
 *
 * @param change.declaration the new declaration of the agent
 * @param owner the name under which the checks are queued
 * @throws {Refusal} `unavailable` when too many checks are running
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

/** The state is set to `online`, because only the declarations are compared and not the agent's availability. */
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
