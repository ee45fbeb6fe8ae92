import type { FirstJob } from '@farebox/platform-api/wallets'
import type { Field, FieldMap } from '@farebox/protocol/fields/field'
import type { SampleResult } from '@farebox/protocol/samples/sample'
import { formatUsdc } from '@farebox/protocol/money/usdc'
import { readAgent } from '../agents/read-agent.ts'
import { whyNotPayable } from '../agents/why-not-payable.ts'
import { chooseCapability } from '../canary/choose-capability.ts'
import { CheckFailed } from '../checking/checker.ts'
import type { PlatformParts } from '../platform-parts.ts'

/** How many agents are tried before no job is offered. */
const MOST_AGENTS = 20

/** The example for text fields that have no example, default or enum. */
const TEXT =
  'A fare is paid once. The ride is given once. The price is known before the ride begins, and nothing moves if the ride fails.'

/**
 * Returns a job that can be ordered without changes, from the agent with the most jobs done among those that are online
 * and payable. Undefined when there is none, or none for which an input can be generated.
 */
export async function readFirstJob(
  parts: Pick<PlatformParts, 'database' | 'checker'>,
): Promise<FirstJob | undefined> {
  const rows = await parts.database.query<{ agent_id: string }>(
    'first-job-agents',
    `select agent_id from search_entries where not is_provisional
     order by jobs_done desc, position desc limit ${MOST_AGENTS}`,
    [],
  )
  for (const { agent_id: id } of rows) {
    const job = await sampleJob(parts, Number(id))
    if (job !== undefined) return job
  }
  return undefined
}

async function sampleJob(
  { database, checker }: Pick<PlatformParts, 'database' | 'checker'>,
  agentId: number,
): Promise<FirstJob | undefined> {
  const agent = await readAgent(database, agentId)
  if (agent?.declaration === undefined || agent.isOffline || whyNotPayable(agent) !== undefined)
    return undefined
  const { declaration } = agent
  const chosen = await chooseCapability(declaration, fields =>
    checker.run('sample', withTexts(fields), `agent ${agentId}`).catch(noSample),
  )
  if (!chosen.ok) return undefined
  return {
    agent_id: agentId,
    agent_name: declaration.name,
    capability: chosen.capability,
    price: formatUsdc(chosen.priceAtomic),
    input: chosen.input,
    input_schema: { ...declaration.capabilities[chosen.capability]?.input_schema },
  }
}

/**
 * Adds an example text to text fields without a value of their own. The sample generator tries it first, and ignores it
 * when it does not fit.
 */
function withTexts(fields: FieldMap): FieldMap {
  return Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, withText(field)]))
}

function withText(field: Field): Field {
  const { type, examples = [], format } = field
  const saysMore = examples.length > 0 || field.default !== undefined || field.enum !== undefined
  return type !== 'string' || saysMore || format !== undefined ? field : { ...field, examples: [TEXT] }
}

function noSample(error: unknown): SampleResult {
  if (!(error instanceof CheckFailed)) throw error
  return { ok: false, violation: { field: 'input', reason: error.message } }
}
