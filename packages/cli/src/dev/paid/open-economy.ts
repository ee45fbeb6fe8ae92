import { createHash } from 'node:crypto'
import type { Economy, EconomyStep } from '@farebox/local/economy'
import type { JoinedEconomy } from '@farebox/local/internal/join-economy'
import type { LocalAgent } from '@farebox/local/local-file'
import { CommandError } from '../../command-error.ts'
import type { LocalPackage } from './load-local.ts'

export interface OpenEconomy {
  readonly chain: Pick<Economy['chain'], 'rpcUrl' | 'chainId' | 'usdc'>
  readonly facilitator: Pick<Economy['facilitator'], 'url' | 'adminToken'>
  readonly payer: Economy['payer']
  readonly runBy: number | undefined
  readonly name: string
  /** Writes to `local.json` which agent is served. */
  noteAgent(agent: LocalAgent): Promise<void>
  /** Resolves with a message when the economy ends by itself. */
  readonly broken: Promise<string>
  /** Stops what was started; a joined economy continues without the agent. May be called twice. */
  stop(): Promise<void>
}

/** The ports of npm start, which developers may know; any other when they are taken. */
const PREFERRED_PORTS = { chain: 8545, facilitator: 4010 } as const

/**
 * Starts an economy in a folder, or joins the economy that already runs there.
 *
 * @param place `folder`: the economy's; `config`: the agent's, absolute; `step` shows each part while it starts
 * @throws {CommandError} when a part does not start, or the running economy does not respond; nothing remains running
 */
export async function openEconomy(
  local: LocalPackage,
  place: { readonly folder: string; readonly config: string; readonly step: EconomyStep },
  signal: AbortSignal,
): Promise<OpenEconomy> {
  const { folder } = place
  try {
    const economy = await local.startEconomy({
      folder,
      agents: [],
      chainPort: { preferred: PREFERRED_PORTS.chain },
      facilitatorPort: { preferred: PREFERRED_PORTS.facilitator },
      step: place.step,
      signal,
    })
    return ownEconomy(local, folder, economy)
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof local.FolderInUseError) {
      const joined = await local.joinEconomy(folder, error.pid, signal)
      if (joined !== undefined) return joinedEconomy(local, place, joined)
      throw new CommandError(
        `process ${error.pid} holds ${folder}, and its chain and facilitator do not answer`,
        'end that process first, or work in another folder',
        { cause: error },
      )
    }
    const reason = error instanceof Error ? error.message : String(error)
    throw new CommandError(`the chain and the facilitator of farebox dev --paid do not start`, reason, {
      cause: error,
    })
  }
}

function ownEconomy(local: LocalPackage, folder: string, economy: Economy): OpenEconomy {
  return {
    ...economy,
    chain: { ...economy.chain, rpcUrl: economy.rpcUrl },
    runBy: undefined,
    name: 'agents',
    noteAgent: agent => local.writeLocalFile(folder, economy, [agent]),
    broken: economy.broken.then(ended => `${ended}\n  start farebox dev --paid again: its state is kept`),
  }
}

function joinedEconomy(
  local: LocalPackage,
  { folder, config }: { readonly folder: string; readonly config: string },
  { chain, facilitator, payer, process, ended, leave }: JoinedEconomy,
): OpenEconomy {
  let noted: string | undefined
  return {
    chain,
    facilitator,
    payer,
    runBy: process.pid,
    name: `joined-${createHash('sha256').update(config).digest('hex').slice(0, 8)}`,
    async noteAgent(agent) {
      noted = agent.url
      await local.changeLocalAgents(folder, { joined: agent })
    },
    broken: ended.then(
      () =>
        `process ${process.pid}, which ran the economy in ${folder}, has ended: start farebox dev --paid again`,
    ),
    async stop() {
      leave()
      if (noted !== undefined) await local.changeLocalAgents(folder, { left: noted })
      noted = undefined
    },
  }
}
