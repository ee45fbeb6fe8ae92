import { TEST_KEYS } from '@farebox/local/chain/test-keys'
import { registerAgent } from '@farebox/local/src/register-agent'
import { signOrder, type ListedAgent } from '../../../../e2e/stage/order.ts'
import { setStage, type Stage } from '../../../../e2e/stage/stage.ts'

/** Real processes: a chain, a facilitator, a platform and an agent whose schema has a pattern, listed there. */
export interface AttackedPrograms {
  readonly stage: Stage
  readonly platformUrl: string
  readonly agent: ListedAgent
  stop(): Promise<void>
}

const CONFIG = 'fire/src/attacks/checking/agent/agent.json'
const PRICE = '0.002'

/** Starts them; what was started is ended where one does not start. */
export async function startAttackedPrograms(): Promise<AttackedPrograms> {
  const stage = await setStage()
  try {
    const wallet = TEST_KEYS.agent.address
    const facilitator = await stage.facilitator()
    const platform = await stage.platform({ facilitator })
    const secret = await stage.secret(facilitator, [wallet])
    const served = await stage.agent({
      config: CONFIG,
      name: 'pattern-matcher',
      facilitator,
      secret,
      wallet,
      store: 'memory:',
    })
    const { agentId } = await registerAgent({ url: platform.url }, stage.chain, { url: served.url, wallet })
    const agent = { agentId, endpoint: served.url, wallet }
    return { stage, platformUrl: platform.url, agent, stop: () => stage.strike() }
  } catch (error) {
    await stage.strike()
    throw error
  }
}

/** Signs an order of about 1 MB: texts that its pattern reads to their end. */
export async function signLargeOrder({ stage, agent }: AttackedPrograms) {
  return await signOrder(stage, agent, { capability: 'match', price: PRICE, input: LARGE_INPUT })
}

/** 340 texts of 2,900 characters that no cache of states helps with: just below what one text may have. */
const LARGE_INPUT = { texts: Array.from({ length: 340 }, (_, index) => mixedText(2_900, index + 1)) }

/** Letters and digits without a period, from a linear congruential generator. */
function mixedText(length: number, seed: number): string {
  let state = seed
  let text = ''
  for (let index = 0; index < length; index += 1) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    text += 'ab c9-x_'[state >>> 29] ?? ''
  }
  return text
}
