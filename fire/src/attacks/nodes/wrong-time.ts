import { setTimeout as delay } from 'node:timers/promises'
import type { VerifyOutcome } from '@farebox/payments/x402/facilitator-client'
import type { Score } from '../../battery.ts'
import type { Attack, AttackRun } from '../attack.ts'
import { datesHeads } from './faulty-node.ts'
import { startNodesStage, type NodesStage } from './nodes-stage.ts'
import { untilTrue } from './until-true.ts'

const WRONG_BY_SECONDS = 3_600

/** Dates its heads an hour ahead for a while. */
export const wrongBlockTimes: Attack = {
  name: 'a node whose block times are wrong for a while',
  before:
    '33 of 38 payments refused 402 "expired", during the 6 s and for as long as was watched after them; /ready said true',
  async run({ size }: AttackRun): Promise<readonly Score[]> {
    const stage = await startNodesStage()
    try {
      stage.node.fault = datesHeads(WRONG_BY_SECONDS)
      const during = await verifyFor(stage, size === 'small' ? 6_000 : 12_000)
      const { status, body } = await stage.ready()
      stage.node.fault = undefined
      const recoveredMs = await untilTrue(30_000, async () => {
        const { kind } = await stage.verify(await stage.payment())
        during.push(kind)
        return kind === 'valid'
      })
      const refused = during.filter(kind => kind === 'invalid').length
      return [
        {
          test: 'payers told that they are too late',
          reached: `${refused} of ${during.length}`,
          target: 'none',
          isMet: refused === 0,
        },
        {
          test: '/ready while it lasts',
          reached: `${status} ${body}`,
          target: '503, naming the time',
          isMet: status === 503 && body.includes('ahead of our clock'),
        },
        {
          test: 'from the last wrong block to the first payment taken',
          reached: recoveredMs === undefined ? 'never' : `${(recoveredMs / 1_000).toFixed(1)} s`,
          target: '10 s at most',
          isMet: recoveredMs !== undefined && recoveredMs <= 10_000,
        },
      ]
    } finally {
      await stage.stop()
    }
  },
}

/** The facilitator's own clock is wrong, in either direction. */
export const wrongClock: Attack = {
  name: 'a facilitator whose clock is five minutes off',
  before: '+300 s: 5 of 5 payments refused 402 "expired", /ready true, nothing in the log',
  async run({ size }: AttackRun): Promise<readonly Score[]> {
    const scores: Score[] = []
    for (const offSeconds of size === 'small' ? [300] : [300, -300]) {
      const stage = await startNodesStage()
      try {
        stage.clock.aheadMs = offSeconds * 1_000
        await untilTrue(20_000, async () => (await stage.ready()).status === 503)
        const told = await verifyFor(stage, 4_000)
        const { status, body } = await stage.ready()
        const isLogged = stage.log.some(
          ({ level, message }) => level !== 'info' && /clock|unusable/.test(message),
        )
        stage.clock.aheadMs = 0
        const recoveredMs = await untilTrue(30_000, async () => {
          return (await stage.verify(await stage.payment())).kind === 'valid'
        })
        const refused = told.filter(kind => kind === 'invalid').length
        const name = `${offSeconds > 0 ? '+' : '−'}${Math.abs(offSeconds)} s`
        scores.push(
          {
            test: `${name}: payers told that they are too late`,
            reached: `${refused} of ${told.length}`,
            target: 'none',
            isMet: refused === 0,
          },
          {
            test: `${name}: /ready, and the log`,
            reached: `${status} ${body}${isLogged ? ', logged' : ', not logged'}`,
            target: '503, naming the clock, and a line in the log',
            isMet: status === 503 && body.includes('clock') && isLogged,
          },
          {
            test: `${name}: set right, until the first payment is taken`,
            reached: recoveredMs === undefined ? 'never' : `${(recoveredMs / 1_000).toFixed(1)} s`,
            target: '10 s at most',
            isMet: recoveredMs !== undefined && recoveredMs <= 10_000,
          },
        )
      } finally {
        await stage.stop()
      }
    }
    return scores
  },
}

/** What payers hear, one after the other, for so long. */
async function verifyFor(stage: NodesStage, durationMs: number): Promise<VerifyOutcome['kind'][]> {
  const told: VerifyOutcome['kind'][] = []
  for (const startMs = performance.now(); performance.now() - startMs < durationMs;) {
    const payment = await stage.payment()
    told.push((await stage.verify(payment)).kind)
    await delay(100)
  }
  return told
}
