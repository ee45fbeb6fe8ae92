import { printable } from '@farebox/conformance/internal/printable'
import type { Registration } from '@farebox/platform-api/registry'
import { CommandError, type ExitCode } from '../command-error.ts'
import { paintFor } from '../terminal/text.ts'
import type { World } from '../world.ts'
import { type RegistryChange, changeAgent, type Changing } from './transaction/change-agent.ts'
import { checkRegistration } from './transaction/open-registry.ts'
import { precheckAgent } from './examination/precheck-agent.ts'
import { readAgentNumber } from '../terminal/read-option.ts'
import { isSameEndpoint, readEndpoint, refuseUncallable } from './examination/read-endpoint.ts'
import { ON_AGAIN, type RawAgentOptions } from './platform/register-options.ts'
import { showPrechecked } from './stake/show-registration.ts'
import { runWithJson } from '../terminal/run-with-json.ts'
import { readEndpointOf, wasRegistered } from './registry/call-node.ts'
import { encodeUpdateEndpoint } from '@farebox/contracts/internal/calls/registry-calls'
import { unlessPlatformRefused } from './platform/ask-platform.ts'

/** `farebox register update`: checks the agent at its new endpoint, and writes that endpoint to the registry. */
export async function updateAgent(world: World, word: string, raw: RawAgentOptions): Promise<ExitCode> {
  const update = async (): Promise<object> => {
    const agentId = readAgentNumber(word)
    const asked = readEndpoint(raw.endpoint)
    const { transaction, described } = await changeAgent(world, raw, moving(world, agentId, asked))
    if (raw.json !== true) {
      const blocks = described.confirmations === 0 ? 'at once' : `after ${described.confirmations} blocks`
      const text =
        transaction === undefined
          ? 'is reached there already'
          : `is reached there; the platform follows ${blocks}`
      world.out.write(`${paintFor(world.out).green('✓')} agent ${agentId} ${text}: ${asked}\n`)
    }
    return { ok: true, agent_id: agentId, endpoint: asked, transaction: transaction ?? null }
  }
  return await runWithJson(world, raw, update, ON_AGAIN)
}

function moving(world: World, agentId: number, asked: string): RegistryChange {
  return {
    agentId,
    kind: 'update',
    isSame: ({ kind, endpoint }) => kind === 'update' && isSameEndpoint(endpoint, asked),
    async findDone(at, owner) {
      if (owner === undefined) return await refuseEnded(at, agentId)
      const endpoint = (await endpointOf(at, agentId)) ?? ''
      if (!isSameEndpoint(endpoint, asked)) return undefined
      return { endpoint, registrationId: await findRegistration(at, agentId, endpoint) }
    },
    async prepare(at, owner) {
      const { endpoint, registration_id: registrationId } = await checkNewEndpoint(world, asked, at, {
        agentId,
        owner,
      })
      const before = (await endpointOf(at, agentId)) ?? ''
      world.err.write(`\n  agent ${agentId}  ${printable(before)}\n     to    ${endpoint}\n`)
      return { callData: encodeUpdateEndpoint(agentId, endpoint), endpoint, registrationId }
    },
    async agree() {
      if (!world.canAsk || (await world.ask.confirm(`Move agent ${agentId}?`))) return
      throw new CommandError('not moved', 'nothing was sent')
    },
  }
}

async function endpointOf({ registry: { chain, address } }: Changing, agentId: number) {
  return await readEndpointOf(chain, address, agentId)
}

async function refuseEnded({ registry: { chain, address } }: Changing, agentId: number) {
  if (!(await wasRegistered(chain, address, agentId))) return undefined
  throw new CommandError(
    `agent ${agentId} is deregistered, its stake was returned`,
    'its number is not reused; farebox register --endpoint <https_url> registers it again',
  )
}

/**
 * Finds the platform's id for the registration of an endpoint, for an agent that was registered from this machine and moved
 * elsewhere. Returns `undefined` when there is no such agent, or the platform does not return it; the status is then that
 * of the agent's page.
 */
async function findRegistration(
  { journal, chosen, platform }: Changing,
  agentId: number,
  endpoint: string,
): Promise<string | undefined> {
  const records = await journal.list()
  const isElsewhere = records.some(
    one => one.platform === chosen.url && one.agentId === agentId && one.endpoint !== endpoint,
  )
  if (!isElsewhere) return undefined
  return (await unlessPlatformRefused(platform.register(endpoint)))?.registration_id
}

/** Resolves to the platform's registration of the new endpoint, which contains the endpoint in the platform's spelling. */
async function checkNewEndpoint(
  world: World,
  asked: string,
  { platform, described }: Changing,
  { agentId, owner }: { readonly agentId: number; readonly owner: string },
): Promise<Registration> {
  refuseUncallable(asked, { localMode: described.local_mode })
  const agent = await precheckAgent(world, asked)
  showPrechecked(world, agent)
  const wallet = agent.declaration?.wallet.toLowerCase()
  if (wallet !== undefined && wallet !== owner) {
    throw new CommandError(
      `the agent there is paid at ${wallet}, and agent ${agentId} is held by ${owner}`,
      `an agent is paid at the wallet that holds it: set AGENT_WALLET_ADDRESS there to ${owner},\n` +
        'restart it and run the same command again; or register it by itself, with a stake of its own',
    )
  }
  return checkRegistration(await platform.register(asked), { endpoint: asked, described })
}
