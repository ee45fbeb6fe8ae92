import { randomUUID } from 'node:crypto'
import { TEST_KEYS } from '@farebox/local/chain/test-keys'
import type { FacilitatorProcess } from '@farebox/local/src/start-facilitator-process'
import { jobBody, post, signFor, type Answered, type PaidRequest } from '../../../../e2e/stage/pay.ts'
import { setStage, type Stage } from '../../../../e2e/stage/stage.ts'

/** A chain, our facilitator, and the means to hire agents and pay them. */
export interface PaidScene {
  readonly stage: Stage
  readonly facilitator: FacilitatorProcess
  readonly secret: string
  /** Starts an agent on a store; resolves to its URL. */
  hire(options: {
    readonly name: string
    readonly store: string
    readonly port?: number
    readonly environment?: { readonly [name: string]: string }
  }): Promise<string>
  /** Signs a job of an agent, with a bound nonce unless said otherwise. */
  sign(url: string, options?: SignOptions): Promise<PaidRequest>
}

/** How a job is signed. */
export interface SignOptions {
  readonly unbound?: boolean
  readonly payerKey?: string
  readonly waitMs?: number
  readonly deadlineSeconds?: number
  /** Called by the handler when it begins. */
  readonly tellUrl?: string
}

const CONFIG = 'e2e/agents/counted/agent.json'
const PRICE = '0.01'
const WALLET = TEST_KEYS.agent.address

/** Sets the scene, lets an attack play in it, and strikes it whatever comes of that. */
export async function playScene<Seen>(
  play: (scene: PaidScene) => Promise<Seen>,
  environment: { readonly [name: string]: string } = {},
): Promise<Seen> {
  const stage = await setStage()
  try {
    const facilitator = await stage.facilitator({ environment })
    const secret = await stage.secret(facilitator, [WALLET])
    return await play({
      stage,
      facilitator,
      secret,
      hire: async options =>
        (await stage.agent({ ...options, config: CONFIG, facilitator, secret, wallet: WALLET })).url,
      async sign(url, { unbound = false, payerKey, waitMs = 0, deadlineSeconds = 20, tellUrl } = {}) {
        const input = { text: 'sesame', wait_ms: waitMs, ...(tellUrl !== undefined && { tell_url: tellUrl }) }
        const jobId = randomUUID()
        const header = await signFor(stage, {
          payTo: WALLET,
          price: PRICE,
          ...(!unbound && { boundTo: { endpoint: `${url}/execute`, capability: 'tell', jobId } }),
          ...(payerKey !== undefined && { payerKey }),
        })
        return {
          jobId,
          header,
          body: jobBody(jobId, input, { deadlineSeconds }),
        }
      },
    })
  } finally {
    await stage.strike()
  }
}

/** Sends a signed job; status 0 where no answer comes. */
export async function send(
  url: string,
  { body, header }: PaidRequest,
): Promise<Pick<Answered, 'status' | 'body'>> {
  try {
    return await post(url, body, header)
  } catch (error) {
    return { status: 0, body: String(error) }
  }
}

/** How often each status was answered: `200: 8, 402: 1`. */
export function countStatuses(answers: readonly Pick<Answered, 'status'>[]): string {
  const counts = new Map<number, number>()
  for (const { status } of answers) counts.set(status, (counts.get(status) ?? 0) + 1)
  return [...counts].map(([status, count]) => `${status}: ${count}`).join(', ')
}
