import type { Score } from '../../battery.ts'
import type { Attack } from '../attack.ts'
import { ACCEPTING_CODE } from './payer-code.ts'
import {
  startSettlementStage,
  type Owner,
  type Payer,
  type SettlementStage,
  type SignedPayment,
} from './settlement-stage.ts'

const BLOCK_SECONDS = 2
const PAYMENTS_A_PAYER = 100
/** Requests of the attackers under way at once. */
const IN_FLIGHT = 100
const QUIET_PAYMENTS = 5
const HONEST_PAYMENTS = 8
/** A short authorization, which expires in a queue of a minute. */
const VALID_SECONDS = 60

/**
 * Floods the facilitator with payments of accounts with code, and of ordinary ones, from owners of their own; then an
 * honest agent settles one payment after another.
 */
export const queueJumping: Attack = {
  name: 'queue jumping at the facilitator',
  before:
    '200 payments: the slowest honest settlement took 15.1 s instead of 2.0; 2,000: 40 s in the median, the slowest 60.2 s, and 3 of 8 honest authorizations of 60 s expired',
  async run({ size, signal }) {
    const stage = await startSettlementStage(BLOCK_SECONDS)
    try {
      return await run(stage, size === 'full' ? 2_000 : 200, signal)
    } finally {
      await stage.stop()
    }
  },
}

async function run(stage: SettlementStage, flood: number, signal: AbortSignal): Promise<readonly Score[]> {
  const honest = await stage.owner()
  const payer = await stage.payer()
  const quiet = await settleInTurn(stage, honest, payer, QUIET_PAYMENTS, signal)
  // Three kinds of attackers: one with a free secret, two who have staked for an agent of theirs.
  const kinds = [
    { owner: await stage.owner('unlisted'), code: ACCEPTING_CODE },
    { owner: await stage.owner(), code: ACCEPTING_CODE },
    { owner: await stage.owner(), code: undefined },
  ]
  const attackers = await Promise.all(
    kinds.map(async ({ owner, code }) => await sendFlood(stage, owner, code, Math.ceil(flood / 3))),
  )
  const underAttack = await settleInTurn(stage, honest, payer, HONEST_PAYMENTS, signal)
  const taken = attackers.reduce((sum, count) => sum + count, 0)
  return [
    {
      test: `an honest settlement beside ${flood} payments of attackers, of which ${taken} were taken`,
      reached: `${seconds(median(underAttack.took))} s, the slowest ${seconds(Math.max(...underAttack.took))} s; quiet ${seconds(median(quiet.took))} s`,
      target: 'at most 3 × the quiet time',
      isMet: Math.max(...underAttack.took) <= 3 * median(quiet.took),
    },
    {
      test: 'honest authorizations of 60 s',
      reached: `${underAttack.unsettled} of ${HONEST_PAYMENTS} not settled`,
      target: 'none expires',
      isMet: underAttack.unsettled + quiet.unsettled === 0,
    },
  ]
}

/** Sends what the owner's payers sign; resolves with how many were taken, when all of them wait to be settled. */
async function sendFlood(
  stage: SettlementStage,
  owner: Owner,
  code: string | undefined,
  count: number,
): Promise<number> {
  const payments: SignedPayment[] = []
  for (let made = 0; made < count;) {
    const payer = await stage.payer(code)
    for (let of = 0; of < PAYMENTS_A_PAYER && made < count; of += 1, made += 1)
      payments.push(await stage.sign(payer, owner))
  }
  let taken = 0
  const next = async (): Promise<void> => {
    for (let payment = payments.pop(); payment !== undefined; payment = payments.pop()) {
      if ((await owner.verify(payment)).kind !== 'valid') continue
      taken += 1
      // Its end is of no interest: it is in the queue once this has been read.
      void owner.settle(payment)
    }
  }
  await Promise.all(Array.from({ length: IN_FLIGHT }, next))
  return taken
}

/** One honest payment after another, each until it is settled or can be no more. */
async function settleInTurn(
  stage: SettlementStage,
  owner: Owner,
  payer: Payer,
  count: number,
  signal: AbortSignal,
): Promise<{ readonly took: readonly number[]; readonly unsettled: number }> {
  const took: number[] = []
  let unsettled = 0
  for (let index = 0; index < count; index += 1) {
    signal.throwIfAborted()
    const payment = await stage.sign(payer, owner, { validForSeconds: VALID_SECONDS })
    const begun = performance.now()
    const isSettled = (await owner.verify(payment)).kind === 'valid' && (await untilSettled(owner, payment))
    took.push(performance.now() - begun)
    if (!isSettled) unsettled += 1
  }
  return { took, unsettled }
}

async function untilSettled(owner: Owner, payment: SignedPayment): Promise<boolean> {
  const until = Number(payment.authorization.validBefore) * 1_000
  while (Date.now() < until) {
    const outcome = await owner.settle(payment)
    if (outcome.kind === 'settled') return true
    if (outcome.kind === 'failed') return false
  }
  return false
}

function median(values: readonly number[]): number {
  return [...values].sort((one, other) => one - other)[Math.floor(values.length / 2)] ?? Number.NaN
}

function seconds(ms: number): string {
  return (ms / 1_000).toFixed(1)
}
