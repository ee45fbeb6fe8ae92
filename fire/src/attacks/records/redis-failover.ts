import { setTimeout as delay } from 'node:timers/promises'
import type { PaidRequest } from '../../../../e2e/stage/pay.ts'
import type { Score } from '../../battery.ts'
import type { Attack, AttackRun } from '../attack.ts'
import {
  countDelivered,
  countDenials,
  playScene,
  repeatAll,
  send,
  type PaidScene,
} from '../stage/paid-scene.ts'
import { inBothModes, type RedisMode } from './redis-group.ts'

/** Short, so that each job is repeated when its deadline has passed. */
const DEADLINE_SECONDS = 5

/** A failover to a replica that lacks the last writes, with jobs delivered all the while (row 21). */
export const redisFailover: Attack = {
  id: 'R2',
  rule: 'A charged job is delivered when it is repeated after a failover.',
  title: 'a Redis failover that loses the last writes',
  needs: ['redis-server'],
  run: async run =>
    await playScene(async scene => {
      const results = await inBothModes(scene, async mode => await failOver(scene, mode, run))
      const delivered = results.reduce((sum, result) => sum + result.delivered, 0)
      const transfers = await scene.transfers()
      return [
        ...results.map(({ score }) => score),
        {
          test: 'jobs delivered in the end, those that were answered 503 meanwhile too',
          reached: `${delivered} delivered, ${transfers} transfers`,
          target: 'a transfer for each that was delivered',
          isMet: transfers === delivered,
        },
      ]
    }),
}

/** A job, and what it was answered before the failover; undefined: 503. */
interface Sent {
  readonly request: PaidRequest
  readonly output: string | undefined
}

async function failOver(
  scene: PaidScene,
  { group, where, parameters, isWaitedFor }: RedisMode,
  { size }: AttackRun,
): Promise<{ readonly score: Score; readonly delivered: number }> {
  const rows = size === 'small' ? 2 : 8
  const url = await scene.hire({
    name: `agent${group.port}`,
    store: `redis://127.0.0.1:${group.port}/0${parameters}`,
  })
  const sent = await sendJobs(scene, url, rows, 3)
  await group.split()
  sent.push(...(await sendJobs(scene, url, rows, 4)))
  await group.killFirst()
  group.leadToSecond()
  await delay(DEADLINE_SECONDS * 1_000)
  const repeated = await repeatAll(
    url,
    sent.map(({ request }) => request),
  )
  const paid = repeated.filter((_, at) => sent[at]?.output !== undefined)
  const again = countDelivered(paid)
  const same = repeated.filter(({ body }, at) => sent[at]?.output === body).length
  return {
    delivered: countDelivered(repeated),
    score: {
      test: `${where}: ${paid.length} delivered jobs repeated after the failover, their deadlines passed`,
      reached: `${again} delivered again, ${same} the same bytes, ${countDenials(paid)} answers that deny the charge`,
      target: `all${isWaitedFor ? ', the same bytes' : ''}, none`,
      isMet:
        paid.length > 0 &&
        again === paid.length &&
        countDenials(paid) === 0 &&
        (!isWaitedFor || same === paid.length),
    },
  }
}

/** So many jobs one after the other, in a few rows; half of the rows sign as stock clients do. */
async function sendJobs(scene: PaidScene, url: string, rows: number, each: number): Promise<Sent[]> {
  const sent: Sent[] = []
  const work = async (row: number): Promise<void> => {
    for (let job = 0; job < each; job += 1) {
      const request = await scene.sign(url, { stock: row % 2 === 1, deadlineSeconds: DEADLINE_SECONDS })
      const { status, body } = await send(url, request)
      // A busy machine may need longer than the deadline: such a job is not charged, and not repeated.
      if (status === 408) continue
      if (status !== 200 && status !== 503) throw new Error(`a paid job was answered ${status} ${body}`)
      sent.push({ request, output: status === 200 ? body : undefined })
    }
  }
  await Promise.all(Array.from({ length: rows }, (_, row) => work(row)))
  return sent
}
