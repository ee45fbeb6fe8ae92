import { formatCoin } from '../chain/coin.ts'
import type { ExitCode } from '../refusal.ts'
import { Refusal } from '../refusal.ts'
import type { World } from '../world.ts'
import { changeAgent } from './change-agent.ts'
import { readAgentId } from './read-agent-id.ts'
import type { RawAgentOptions } from './register-options.ts'
import { openRegistrationJournal } from './registration-journal.ts'
import { tellInJson } from './tell-in-json.ts'
import { deregisterCall } from './transaction/registry-calls.ts'

/**
 * `farebox deregister`: ends a registration; the registry sends its stake back.
 *
 * @throws {Refusal} what a person reads
 */
export async function deregisterAgent(world: World, word: string, raw: RawAgentOptions): Promise<ExitCode> {
  return await tellInJson(world, raw, async () => {
    const agentId = readAgentId(word)
    const { chosen, described, transaction } = await changeAgent(world, raw, {
      agentId,
      doing: `deregistering agent ${agentId}`,
      prepare: at => Promise.resolve(deregisterCall(at.registry.crypto, agentId)),
      async agree() {
        if (!world.canAsk) return
        const question = `Deregister agent ${agentId}? It is not found any more, and its number is not given again.`
        if (!(await world.ask.confirm(question))) throw new Refusal('not deregistered', 'nothing was sent')
      },
    })
    await forget(world, chosen.url, agentId)
    const stake = formatCoin(BigInt(described.stake_wei))
    if (raw.json !== true) world.out.write(`agent ${agentId} is deregistered, ${stake} ETH returned\n`)
    return { ok: true, agent_id: agentId, returned_eth: stake, transaction: transaction ?? null }
  })
}

/** The next registration of the same endpoint is a new one, with a stake of its own. */
async function forget({ home }: World, platform: string, agentId: number): Promise<void> {
  const journal = openRegistrationJournal(home)
  for (const record of await journal.list()) {
    if (record.platform === platform && record.agentId === agentId) await journal.remove(record)
  }
}
