import { randomUUID } from 'node:crypto'
import { TEST_KEYS } from '@farebox/local/chain/test-keys'
import { until } from '@farebox/protocol/src/test-setup/until'
import {
  jobBody,
  post,
  signFor,
  transfersTo,
  type Answered,
  type PaidRequest,
} from '../../../../e2e/stage/pay.ts'
import { startRunCounter } from '../../../../e2e/stage/run-counter.ts'
import { setStage, type Stage } from '../../../../e2e/stage/stage.ts'
import type { Score } from '../../battery.ts'
import { scoreCount, type Attack } from '../attack.ts'
import { startRedisGroup } from './redis-group.ts'

/** Both agents are called by one name, as replicas behind a load balancer are. */
const PUBLIC_URL = 'http://agent.example'
const WALLET = TEST_KEYS.agent.address
const ASK_AGAIN_MS = 300

/** Two concurrent primaries, with an agent at each; then the first follows the other, and loses its own writes. */
export const redisSplitBrain: Attack = {
  id: 'R3',
  rule: 'One payment buys one output while two primaries accept writes.',
  title: 'Redis with two primaries',
  needs: 'redis-server',
  async run({ size }) {
    const count = size === 'small' ? 8 : 60
    const stage = await setStage()
    try {
      const facilitator = await stage.facilitator()
      const secret = await stage.secret(facilitator, [WALLET])
      const hire = async (port: number, parameters: string): Promise<string> => {
        const agent = { config: 'e2e/agents/counted/agent.json', facilitator, secret, wallet: WALLET }
        const store = `redis://127.0.0.1:${port}/0${parameters}`
        const environment = { SERVICE_PUBLIC_URL: PUBLIC_URL }
        return (await stage.agent({ ...agent, name: `agent-${port}`, store, environment })).url
      }
      const results = await Promise.all([
        splitUp(stage, hire, { count, isWaitedFor: false }),
        splitUp(stage, hire, { count, isWaitedFor: true }),
      ])
      const payments = results.reduce((sum, result) => sum + result.payments, 0)
      const transfers = await transfersTo(stage, WALLET)
      return [
        ...results.flatMap(({ scores }) => scores),
        scoreCount('transfers, one for each payment that bought an output', transfers, payments, payments),
      ]
    } finally {
      await stage.strike()
    }
  },
}

interface Outcome {
  readonly scores: readonly Score[]
  /** The job whose payment bought an output. */
  readonly payments: number
}

/** @param mode.isWaitedFor whether agents wait until a replica has what they write */
async function splitUp(
  stage: Stage,
  hire: (port: number, parameters: string) => Promise<string>,
  { count, isWaitedFor }: { readonly count: number; readonly isWaitedFor: boolean },
): Promise<Outcome> {
  const [where, parameters] = isWaitedFor ? ['replicas=1', '?replicas=1'] : ['no replicas asked for', '']
  const group = await startRedisGroup(stage)
  const counter = await startRunCounter(stage)
  const [cutOff = '', other = ''] = await Promise.all(group.ports.map(port => hire(port, parameters)))
  await group.split()
  const jobs = await Promise.all(
    Array.from({ length: count }, (_, at) => sign(stage, at % 2 === 1, counter.url)),
  )
  // Each job goes to both at once, like a caller's repeat that a load balancer sends to the other replica.
  const [first, second] = await Promise.all([sendAll(cutOff, jobs), sendAll(other, jobs)])
  const runs = counter.count()
  const known = await askAll(other, jobs)
  const twins = await Promise.all(jobs.map(() => sendTwins(stage, cutOff, other)))
  await group.rejoin()
  const repeated = await askAll(cutOff, jobs)
  const delivered = repeated.filter(({ status }) => status === 200).length
  const kept = repeated.filter(({ body }, at) => body === known[at]?.body).length
  const boughtTwo = twins.filter(outputs => outputs > 1).length
  const boughtOne = twins.filter(outputs => outputs === 1).length
  return {
    payments: count + boughtOne + boughtTwo,
    scores: [
      {
        test: `${where}: ${count} jobs, each sent to an agent on either side`,
        reached: `${runs} handler runs; the side cut off ${statusesOf(first)}; the other ${statusesOf(second)}`,
        target: isWaitedFor ? 'a run for each job' : 'two runs for each job at most',
        isMet: runs <= (isWaitedFor ? 1 : 2) * count,
      },
      {
        test: `${where}: ${count} stock payments, each for two jobs, one on either side`,
        reached: `${boughtOne} bought one output, ${boughtTwo} two`,
        target: 'one each, none two',
        isMet: boughtOne === count,
      },
      {
        test: `${where}: repeated when there is one primary again`,
        reached: `${statusesOf(repeated)}; ${kept} as the remaining side answered`,
        target: `all delivered${isWaitedFor ? ', as it answered' : ''}`,
        isMet: delivered === count && (!isWaitedFor || kept === count),
      },
    ],
  }
}

/** Signs a job as our client does, or `isStock`, with a nonce that is bound to nothing. */
async function sign(stage: Stage, isStock: boolean, tellUrl?: string): Promise<PaidRequest> {
  const jobId = randomUUID()
  const boundTo = { endpoint: `${PUBLIC_URL}/execute`, capability: 'tell', jobId }
  return {
    jobId,
    header: await signFor(stage, { payTo: WALLET, price: '0.01', ...(!isStock && { boundTo }) }),
    body: jobBody(jobId, { text: 'sesame', ...(tellUrl !== undefined && { tell_url: tellUrl }) }),
  }
}

async function sendAll(url: string, jobs: readonly PaidRequest[]): Promise<readonly Answered[]> {
  return await Promise.all(jobs.map(({ body, header }) => post(url, body, header)))
}

async function askAll(url: string, jobs: readonly PaidRequest[]): Promise<readonly Answered[]> {
  return await Promise.all(jobs.map(job => ask(url, job)))
}

/**
 * Sends one payment of a stock client for two jobs, one on either side; resolves to the number of outputs it bought.
 */
async function sendTwins(stage: Stage, cutOff: string, other: string): Promise<number> {
  const { header } = await sign(stage, true)
  const twin = (): PaidRequest => {
    const jobId = randomUUID()
    return { jobId, header, body: jobBody(jobId, { text: 'sesame' }) }
  }
  const answers = await Promise.all([sendAll(cutOff, [twin()]), askAll(other, [twin()])])
  return answers.flat().filter(({ status }) => status === 200).length
}

/** Repeats a job until the answer is final: on a busy machine a replica may get a write too late. */
async function ask(url: string, { body, header }: PaidRequest): Promise<Answered> {
  return await until(async () => {
    const answer = await post(url, body, header)
    return answer.status < 500 && answer
  }, ASK_AGAIN_MS)
}

/** The count of each status: `200: 8, 402: 1`. */
function statusesOf(answers: readonly Answered[]): string {
  const statuses = [...new Set(answers.map(({ status }) => status))]
  return statuses
    .map(status => `${status}: ${answers.filter(answer => answer.status === status).length}`)
    .join(', ')
}
