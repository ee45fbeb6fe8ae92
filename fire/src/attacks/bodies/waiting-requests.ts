import { existsSync } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { TEST_KEYS } from '@farebox/local/chain/test-keys'
import { registerAgent } from '@farebox/local/src/listing/register-agent'
import { sendOrder, signOrder } from '../../../../e2e/stage/order.ts'
import { jobBody, post } from '../../../../e2e/stage/pay.ts'
import { until } from '@farebox/protocol/src/test-setup/until'
import { setStage } from '../../../../e2e/stage/stage.ts'
import type { Score } from '../../battery.ts'
import type { Attack } from '../attack.ts'
import { createMemoryReader, measureBodies } from './measure.ts'

const PRICE = '0.002'
/** A body of empty objects: parsed, they take twenty times their bytes. */
const RECORDS = 300_000
const DEADLINE_SECONDS = 280

/** One payment, one slow job, and many repeats of its request, each with a complete body, that wait for its end. */
export const waitingRequests: Attack = {
  id: 'B3',
  rule: 'Requests that wait for one job hold no more than their bodies.',
  title: 'large repeats of one slow job',
  async run({ size, signal }) {
    const memory = await createMemoryReader()
    const stage = await setStage()
    try {
      const { environment } = memory
      const hold = join(stage.folder, 'hold')
      const wallet = TEST_KEYS.agent.address
      const facilitator = await stage.facilitator()
      const platform = await stage.platform({ facilitator, environment })
      const served = await stage.agent({
        config: 'fire/src/attacks/bodies/agent/agent.json',
        name: 'slow-counter',
        facilitator,
        secret: await stage.secret(facilitator, [wallet]),
        wallet,
        store: 'memory:',
        environment: { ...environment, COUNTER_HOLD: hold },
      })
      const { agentId } = await registerAgent({ url: platform.url }, stage.chain, { url: served.url, wallet })
      const agent = { agentId, endpoint: served.url, wallet }
      const connections = size === 'small' ? 4 : 60
      const sign = (records: number, slow: boolean) =>
        signOrder(stage, agent, {
          capability: 'count',
          price: PRICE,
          input: { records: Array.from({ length: records }, () => ({})), slow },
        })
      const scores: Score[] = []
      for (const at of ['agent', 'platform'] as const) {
        const send = async ({
          job_id,
          input,
          payment,
        }: Awaited<ReturnType<typeof sign>>): Promise<number> => {
          const order = { agent_id: agentId, capability: 'count', job_id, input, payment }
          if (at === 'platform')
            return (await sendOrder(platform.url, { ...order, deadline: inSeconds(DEADLINE_SECONDS) })).status
          const options = { capability: 'count', deadlineSeconds: DEADLINE_SECONDS }
          return (await post(served.url, jobBody(job_id, input, options), payment)).status
        }
        // Memory that a program uses for its first work, and for its first large body.
        await send(await sign(1, false))
        await send(await sign(RECORDS, false))
        const { pid } = at === 'agent' ? served : platform
        signal.throwIfAborted()
        const order = await sign(RECORDS, true)
        await writeFile(hold, '')
        const job = send(order)
        // The job then runs: its payment was verified, so the agent may hold its input.
        await until(() => existsSync(`${hold}.begun`))
        const statuses: number[] = []
        let ended: Promise<unknown> = job
        const measured = { test: `${at}, ${connections} requests`, pid, connections }
        const score = await measureBodies(memory, measured, async () => {
          const repeats = Array.from({ length: connections }, async () => statuses.push(await send(order)))
          ended = Promise.allSettled([...repeats, job.then(status => statuses.push(status))])
          return connections * JSON.stringify(order.input).length
        })
        scores.push(score)
        for (const file of [hold, `${hold}.begun`]) await rm(file)
        await ended
        scores.push({
          test: `${at}, answers`,
          reached: tally(statuses),
          target: 'the job is delivered; no other answer than 200, or come back (202, 503)',
          isMet: statuses.length === connections + 1 && statuses.includes(200) && statuses.every(isFair),
        })
      }
      return scores
    } finally {
      await stage.strike()
      await memory.close()
    }
  },
}

function isFair(status: number): boolean {
  return status === 200 || status === 202 || status === 503
}

function tally(statuses: readonly number[]): string {
  const kinds = [...new Set(statuses)].toSorted((one, other) => one - other)
  return kinds.map(kind => `${statuses.filter(status => status === kind).length} × ${kind}`).join(', ')
}

function inSeconds(seconds: number): number {
  return Math.floor(Date.now() / 1_000) + seconds
}
