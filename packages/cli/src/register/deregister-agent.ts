import { formatCoin } from '../chain/name-network.ts'
import type { ExitCode } from '../command-error.ts'
import { paintFor } from '../terminal/text.ts'
import type { World } from '../world.ts'
import { type RegistryChange, changeAgent, type Changing } from './transaction/change-agent.ts'
import { readAgentNumber } from '../terminal/read-option.ts'
import { ON_AGAIN, type RawAgentOptions } from './platform/register-options.ts'
import { runWithJson } from '../terminal/run-with-json.ts'
import { readEndpointOf, wasRegistered } from './registry/call-node.ts'
import { encodeDeregister } from '@farebox/contracts/internal/calls/registry-calls'
import { agree } from '../terminal/ask.ts'

/** `farebox deregister`: ends a registration; the registry returns its stake. */
export async function deregisterAgent(world: World, word: string, raw: RawAgentOptions): Promise<ExitCode> {
  const deregister = async (): Promise<object> => {
    const agentId = readAgentNumber(word)
    const { described, transaction } = await changeAgent(world, raw, ending(world, agentId, raw))
    const stake = formatCoin(BigInt(described.stake_wei))
    if (raw.json !== true) {
      const returned = transaction === undefined ? 'its stake was returned' : `${stake} ETH returned`
      world.out.write(`${paintFor(world.out).green('✓')} agent ${agentId} is deregistered, ${returned}\n`)
    }
    return { ok: true, agent_id: agentId, returned_eth: stake, transaction: transaction ?? null }
  }
  return await runWithJson(world, raw, deregister, ON_AGAIN)
}

function ending(world: World, agentId: number, raw: RawAgentOptions): RegistryChange {
  return {
    agentId,
    kind: 'deregister',
    isSame: ({ kind }) => kind === 'deregister',
    async findDone({ registry: { chain, address } }, owner) {
      if (owner !== undefined || !(await wasRegistered(chain, address, agentId))) return undefined
      return { endpoint: '' }
    },
    async prepare(at) {
      return {
        callData: encodeDeregister(agentId),
        endpoint: await endpointOf(at, agentId),
      }
    },
    async agree() {
      const kept = 'nothing was sent'
      const unasked = `farebox deregister ${agentId} --yes ends it without a question; ${kept}`
      const question = `Deregister agent ${agentId}? It will no longer be found, and its number is not reused.`
      await agree(world, raw, question, { unasked, refused: 'not deregistered', kept })
    },
  }
}

async function endpointOf({ registry: { chain, address } }: Changing, agentId: number) {
  return (await readEndpointOf(chain, address, agentId)) ?? ''
}
