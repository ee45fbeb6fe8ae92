import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { TEST_KEYS } from '@farebox/local/chain/test-keys'
import { jobBody, post, signFor, transfersTo, type PaidRequest } from '../../../../e2e/stage/pay.ts'
import { setStage, type Stage } from '../../../../e2e/stage/stage.ts'
import { HANG_MS } from '../hang.ts'

/** A chain, our facilitator, and the means to hire agents and pay them. */
export interface PaidScene {
  readonly stage: Stage
  /** Starts an agent on a store; resolves to its URL. */
  hire(options: {
    readonly name: string
    readonly store: string
    readonly environment?: { readonly [name: string]: string }
  }): Promise<string>
  /** Signs a job of an agent: as our client does, or `stock`, with a nonce that is bound to nothing. */
  sign(url: string, options?: SignOptions): Promise<PaidRequest>
  /** Signs so many, every second one as stock clients do: our facilitator says which job those paid. */
  signMany(count: number, url: string, options?: SignOptions): Promise<readonly PaidRequest[]>
  /** How many payments the agents have received. */
  transfers(): Promise<number>
}

/** How a job is signed. */
export interface SignOptions {
  readonly stock?: boolean
  readonly deadlineSeconds?: number
  /** Called by the handler when it begins. */
  readonly tellUrl?: string
}

/** The answer to a job, and what came before it. */
export interface Answered {
  /** 0: none. */
  readonly status: number
  readonly body: string
}

const CONFIG = 'e2e/agents/counted/agent.json'
const WALLET = TEST_KEYS.agent.address
const PAUSE_MS = 300

/** Sets the scene, lets an attack play in it, and strikes it whatever comes of that. */
export async function playScene<Seen>(play: (scene: PaidScene) => Promise<Seen>): Promise<Seen> {
  const stage = await setStage()
  try {
    const facilitator = await stage.facilitator()
    const secret = await stage.secret(facilitator, [WALLET])
    const sign: PaidScene['sign'] = async (url, { stock = false, deadlineSeconds = 280, tellUrl } = {}) => {
      const jobId = randomUUID()
      const boundTo = { endpoint: `${url}/execute`, capability: 'tell', jobId }
      const input = { text: 'sesame', ...(tellUrl !== undefined && { tell_url: tellUrl }) }
      return {
        jobId,
        header: await signFor(stage, { payTo: WALLET, price: '0.01', ...(!stock && { boundTo }) }),
        body: jobBody(jobId, input, { deadlineSeconds }),
      }
    }
    return await play({
      stage,
      hire: async options =>
        (await stage.agent({ ...options, config: CONFIG, facilitator, secret, wallet: WALLET })).url,
      sign,
      signMany: (count, url, options) =>
        Promise.all(Array.from({ length: count }, (_, at) => sign(url, { ...options, stock: at % 2 === 1 }))),
      transfers: () => transfersTo(stage, WALLET),
    })
  } finally {
    await stage.strike()
  }
}

/** Sends a signed job once. */
export async function send(url: string, { body, header }: PaidRequest): Promise<Answered> {
  try {
    return await post(url, body, header)
  } catch (error) {
    return { status: 0, body: String(error) }
  }
}

/** What the repeats of one job came to. */
export interface Repeated {
  readonly isDelivered: boolean
  /** Answers that say that nothing was charged. */
  readonly denials: number
  /** Of the last answer. */
  readonly body: string
}

const DENIALS = [400, 402, 408, 500]

/** Sends each job again and again, until it is delivered or refused. */
export async function repeatAll(url: string, requests: readonly PaidRequest[]): Promise<readonly Repeated[]> {
  return await Promise.all(requests.map(request => repeatUntilAnswered(url, request)))
}

async function repeatUntilAnswered(url: string, request: PaidRequest): Promise<Repeated> {
  let denials = 0
  let last = ''
  for (const endMs = Date.now() + HANG_MS; Date.now() < endMs; await delay(PAUSE_MS)) {
    const { status, body } = await send(url, request)
    if (status === 200) return { isDelivered: true, denials, body }
    if (DENIALS.includes(status)) denials += 1
    // After a 500 the caller may ask again.
    if (DENIALS.includes(status) && status !== 500) return { isDelivered: false, denials, body }
    last = body
  }
  return { isDelivered: false, denials, body: last }
}

/** Over all repeats. */
export function countDenials(all: readonly Repeated[]): number {
  return all.reduce((sum, { denials }) => sum + denials, 0)
}

/** How many were delivered in the end. */
export function countDelivered(all: readonly Repeated[]): number {
  return all.filter(({ isDelivered }) => isDelivered).length
}
