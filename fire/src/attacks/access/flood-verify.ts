import { TEST_KEYS } from '@farebox/local/chain/test-keys'
import { toHex } from '@farebox/payments/src/crypto/bytes'
import type { PaidRequest } from '../../../../e2e/stage/pay.ts'
import type { Attack } from '../attack.ts'
import { repeatUntilAnswered } from '../records/repeat-until-answered.ts'
import { countStatuses, playScene, send, type PaidScene } from '../stage/paid-scene.ts'

/** Little enough that a busy machine can use it up. */
const ALLOWANCE = { FACILITATOR_REQUESTS_PER_SECOND: '10' }
const REPEAT_FOR_MS = 30_000

/** How many flood requests are under way at once. */
const AT_ONCE = 50

/**
 * Payments of wallets without money use up what the facilitator allows this agent's secret (row 12): every request is
 * signed well and refused for want of a balance. Meanwhile somebody honest, who has paid here before, goes on.
 */
export const floodVerify: Attack = {
  name: 'payments without money use up the rate of a secret',
  before: '493 of 600 flood requests and 7 of 17 honest ones were answered 500 (small form)',
  run: async ({ size }) =>
    await playScene(async scene => {
      const url = await scene.hire({ name: 'agent', store: 'memory:' })
      const first = await send(url, await scene.sign(url))
      if (first.status !== 200) throw new Error(`a paid job was answered ${first.status}`)
      const flood = await signFlood(scene, url, size === 'small' ? 600 : 6_000)
      const honest = await Promise.all(
        Array.from({ length: size === 'small' ? 10 : 40 }, async () => await scene.sign(url)),
      )
      const flooding = sendAll(url, flood)
      const answers = []
      for (const one of honest) answers.push(await repeatUntilAnswered(url, one, REPEAT_FOR_MS))
      const flooded = await flooding
      const delivered = answers.filter(({ isDelivered }) => isDelivered).length
      const failed = answers.flatMap(({ statuses }) => statuses).filter(status => status === 500).length
      const isFloodFree = flooded.every(({ status }) => status === 402 || status === 503)
      return [
        {
          test: `${honest.length} honest jobs beside ${flood.length} payments without money`,
          reached: `${delivered} delivered, ${failed} answers of 500; the flood: ${countStatuses(flooded)}`,
          target: `${honest.length} delivered, no 500 to them, the flood 402 or 503`,
          isMet: delivered === honest.length && failed === 0 && isFloodFree,
        },
      ]
    }, ALLOWANCE),
}

/** Ten payments of each wallet, so that half of what a flood does is repeated by known wallets. */
async function signFlood(scene: PaidScene, url: string, count: number): Promise<readonly PaidRequest[]> {
  const wallets = Array.from({ length: Math.ceil(count / 10) }, (_, at) =>
    toHex(
      Uint8Array.from(
        { length: 32 },
        (_byte, place) => (place < 28 ? 7 : (at >> (8 * (31 - place))) & 255) || 1,
      ),
    ),
  ).filter(key => key !== TEST_KEYS.payer.privateKey)
  const signed: PaidRequest[] = []
  for (let at = 0; at < count; at += 1)
    signed.push(await scene.sign(url, { payerKey: wallets[at % wallets.length] ?? '', deadlineSeconds: 120 }))
  return signed
}

async function sendAll(
  url: string,
  requests: readonly PaidRequest[],
): Promise<readonly Awaited<ReturnType<typeof send>>[]> {
  const waiting = [...requests]
  const answers: Awaited<ReturnType<typeof send>>[] = []
  const sendOn = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift())
      answers.push(await send(url, next))
  }
  await Promise.all(Array.from({ length: AT_ONCE }, sendOn))
  return answers
}
