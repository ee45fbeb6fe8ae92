import type { Registration } from '@farebox/platform-api/registry'
import type { ExitCode } from '../refusal.ts'
import { Refusal } from '../refusal.ts'
import { printable } from '../terminal/printable.ts'
import type { World } from '../world.ts'
import { changeAgent, type AgentChange } from './change-agent.ts'
import { checkRegistration } from './check-registration.ts'
import { examineAgent } from './examine-agent.ts'
import { readAgentId } from './read-agent-id.ts'
import { readEndpoint, refuseUnreachable } from './read-endpoint.ts'
import type { RawAgentOptions } from './register-options.ts'
import { openRegistrationJournal } from './registration-journal.ts'
import { showExamined } from './show-registration.ts'
import { tellInJson } from './tell-in-json.ts'
import { readEndpointOf } from './transaction/ask-node.ts'
import { updateCall } from './transaction/registry-calls.ts'

/**
 * `farebox register update`: checks the agent at its new address, and writes that address to the registry.
 *
 * @throws {Refusal} what a person reads
 */
export async function updateAgent(world: World, word: string, raw: RawAgentOptions): Promise<ExitCode> {
  return await tellInJson(world, raw, async () => {
    const agentId = readAgentId(word)
    const asked = readEndpoint(raw.endpoint)
    let registration: Registration | undefined
    const { transaction, described, chosen } = await changeAgent(world, raw, {
      agentId,
      doing: `moving agent ${agentId}`,
      async prepare(at) {
        registration = await checkNewEndpoint(world, asked, at)
        const { endpoint } = registration
        const { chain, address, crypto } = at.registry
        const before = await readEndpointOf(chain, address, crypto, agentId)
        if (before === endpoint) return undefined
        world.err.write(`\n  agent ${agentId}  ${printable(before ?? '')}\n     to    ${endpoint}\n`)
        return updateCall(crypto, agentId, endpoint)
      },
      async agree() {
        if (!world.canAsk || (await world.ask.confirm(`Move agent ${agentId}?`))) return
        throw new Refusal('not moved', 'nothing was sent')
      },
    })
    const endpoint = registration?.endpoint ?? asked
    await noteMove(world, chosen.url, agentId, registration)
    if (raw.json !== true) {
      const blocks = described.confirmations === 0 ? 'at once' : `after ${described.confirmations} blocks`
      const text =
        transaction === undefined
          ? 'is reached there already'
          : `is reached there; the platform follows ${blocks}`
      world.out.write(`agent ${agentId} ${text}: ${endpoint}\n`)
    }
    return { ok: true, agent_id: agentId, endpoint, transaction: transaction ?? null }
  })
}

type At = Parameters<AgentChange['prepare']>[0]

/** Resolves to the platform's registration of the new endpoint, which has it as the platform would write it. */
async function checkNewEndpoint(world: World, asked: string, at: At): Promise<Registration> {
  const { platform, described, owner } = at
  await refuseUnreachable(asked, { localMode: described.local_mode })
  const agent = await examineAgent(world, asked)
  showExamined(world, agent)
  const wallet = agent.declaration?.wallet.toLowerCase()
  if (wallet !== undefined && wallet !== owner) {
    throw new Refusal(
      `the agent there is paid at ${wallet}, and the registration is held by ${owner}`,
      'nobody would be sent to pay it: it has to name the same wallet (D36)',
    )
  }
  return checkRegistration(await platform.register(asked), { endpoint: asked, described })
}

/** The status of an agent that was registered here is from now on that of its new endpoint. */
async function noteMove(
  { home }: World,
  platform: string,
  agentId: number,
  registration: Registration | undefined,
): Promise<void> {
  const journal = openRegistrationJournal(home)
  const before = (await journal.list()).find(one => one.platform === platform && one.agentId === agentId)
  if (before === undefined || registration === undefined || before.endpoint === registration.endpoint) return
  const { endpoint, registration_id: registrationId } = registration
  await journal.write({ ...before, endpoint, registrationId })
  await journal.remove(before)
}
