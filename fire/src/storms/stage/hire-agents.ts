import { join } from 'node:path'
import type { LocalChain } from '@farebox/local/chain/start-chain'
import { TEST_KEYS } from '@farebox/local/chain/test-keys'
import { createSecret } from '@farebox/local/src/facilitator-secret'
import { onDeathOf, raise, type BuildingSite } from './raise.ts'
import { createStormAgent, type StormAgent } from './storm-agent.ts'
import type { StormFacilitator } from './storm-facilitator.ts'

/** Replicas of one agent: the same wallet, the same secret, the facilitators in turn. */
export interface Replicas {
  readonly wallet: string
  readonly redisUrl: string
  /** Where their handlers note their runs. */
  readonly runsFile: string
  /** Starts one more. With `ownStore` it shares its jobs with nobody. */
  hire(options: { readonly port: number; readonly ownStore?: string }): Promise<StormAgent>
}

/** Makes what they have in common; none is started yet. */
export async function hireAgents(
  site: BuildingSite,
  parts: {
    readonly chain: LocalChain
    readonly facilitators: readonly StormFacilitator[]
    readonly redisPort: number
  },
): Promise<Replicas> {
  const { chain, facilitators, redisPort } = parts
  const wallet = TEST_KEYS.agent.address
  const redisUrl = `redis://127.0.0.1:${redisPort}/0`
  const runsFile = join(site.folder, 'runs.jsonl')
  const inTurn = (turn: number): StormFacilitator => {
    const facilitator = facilitators[turn % facilitators.length]
    if (facilitator === undefined) throw new Error('there are no facilitators')
    return facilitator
  }
  const { secret } = await createSecret(inTurn(0).access(), { owner: 'storms', wallets: [wallet] })
  let hired = 0
  return {
    wallet,
    redisUrl,
    runsFile,
    async hire({ port, ownStore }) {
      const turn = hired
      hired += 1
      const name = ownStore ?? `agent-${hired}`
      const agent = createStormAgent({
        folder: site.folder,
        chain,
        facilitator: inTurn(turn).access(),
        secret,
        wallet,
        store: ownStore === undefined ? redisUrl : `${redisUrl}?prefix=${ownStore}`,
        runsFile,
        name,
        port,
        eventLog: site.eventLog,
        onLine: site.log.of(name),
        onDeath: onDeathOf(site),
      })
      await raise(site, agent)
      site.stops.push(agent.hangUp)
      return agent
    },
  }
}
