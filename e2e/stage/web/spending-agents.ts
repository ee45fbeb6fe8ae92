import { cp, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { TEST_KEYS } from '@farebox/local/chain/test-keys'
import { registerAgent } from '@farebox/local/src/listing/register-agent'
import type { WebStage } from './web-stage.ts'

const FOLDER = 'e2e/agents/shopper'
const OWNER = TEST_KEYS.secondAgent.address

/** Agents that move their callers' tokens, listed at the platform of the stage. */
export interface SpendingAgents {
  /** It names the account that it spends from. */
  readonly payerId: number
  /** It names none, and its reason is hostile. */
  readonly hostileId: number
}

/** Starts `shopper` of `e2e/agents` twice: unchanged, and with a test's reason and no spending account. */
export async function startSpendingAgents(
  { stage, facilitator, url }: WebStage,
  hostileReason: string,
): Promise<SpendingAgents> {
  const secret = await stage.secret(facilitator, [OWNER])
  // The next number at the registry: the agent has to know it before it spends.
  const payerId = 2
  const payer = await stage.agent({
    config: `${FOLDER}/agent.json`,
    facilitator,
    secret,
    name: 'shopper',
    store: 'memory:',
    wallet: OWNER,
    environment: {
      AGENT_ID: String(payerId),
      SPENDER_PRIVATE_KEY: TEST_KEYS.thirdAgent.privateKey,
      SERVICE_RPC_URL: stage.chain.rpcUrl,
    },
  })
  const registered = await registerAgent({ url }, stage.chain, { url: payer.url, wallet: OWNER })
  if (registered.agentId !== payerId) throw new Error(`the agent is number ${registered.agentId}`)
  const folder = join(stage.folder, 'hostile')
  await mkdir(folder)
  await cp(FOLDER, folder, { recursive: true })
  const declaration = await readFile(join(folder, 'agent.json'), 'utf8')
  const config = join(folder, 'agent.json')
  const reason = JSON.stringify(hostileReason)
  await writeFile(
    config,
    declaration.replace('"Pays the invoices that you forward to it."', () => reason),
  )
  const hostile = await stage.agent({
    config: relative('', config),
    facilitator,
    secret,
    name: 'hostile',
    store: 'memory:',
    wallet: OWNER,
  })
  const { agentId: hostileId } = await registerAgent({ url }, stage.chain, {
    url: hostile.url,
    wallet: OWNER,
  })
  return { payerId, hostileId }
}
