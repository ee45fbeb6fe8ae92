import { paymentKey } from '@farebox/payments/authorization/eip-3009'
import {
  HOLD_EXTENSION,
  type FacilitatorRequest,
  type ReleaseRequest,
} from '@farebox/payments/x402/facilitator-api'
import { createFacilitatorClient } from '@farebox/payments/x402/facilitator-client'
import { createRequirement } from '@farebox/payments/x402/requirement'
import type { FacilitatorReport } from '../records/report-records.ts'
import { hostName } from '../parties/supervise.ts'
import type { Random } from '../seeded-random.ts'
import { currentWorld } from '../stand-ins/current-world.ts'
import type { VirtualProcess } from '../time/virtual-process.ts'
import type { World } from '../world.ts'
import type { RawPayment } from './sign-raw-payment.ts'

const TIMEOUT_MS = 6_000

/**
 * Uses our facilitator as an agent would that is not ours, and not well made: verifies, settles and releases one
 * payment in any order, for one purpose and for another.
 */
export async function meddle(
  world: World,
  process: VirtualProcess,
  secret: string,
  payment: RawPayment,
  random: Random,
): Promise<void> {
  const url = `http://facilitator.${hostName(process)}`
  world.processes.set(hostName(process), process)
  const client = createFacilitatorClient({ url, secret })
  const purposes = [random.hex(32), random.hex(32)]
  const key = paymentKey(world.network, payment.authorization)
  world.meddled.set(key, Number(payment.authorization.validBefore))
  const holds: ReleaseRequest[] = []
  const words: Spoken[] = []
  // One that comes late, or twice, holds again what was given back.
  const { duplication, slowness } = world.wires.faults.plan.amount
  let mayHoldAgain = duplication > 0 || slowness > 0
  // One that was not heard of may come after a later one was refused, or a hold given back: that is not the last word.
  let mayChargeYet = false
  for (let left = random.between(2, 7); left > 0; left -= 1) {
    const binding = random.chance(0.75) ? (purposes[0] ?? '') : (purposes[1] ?? '')
    const request = facilitatorRequest(world, payment, binding, process.nowMs() / 1_000 + 20)
    const deed = random.pick(['verify', 'verify', 'settle', 'release'] as const)
    const hold = holds.length === 0 ? undefined : random.pick(holds)
    // What was said before an attempt to charge, or to hold, need not hold after it.
    for (const word of words) word.isLast &&= word.reported === 'released' ? deed !== 'verify' : false
    if (deed === 'verify') {
      const outcome = await client.verify(request, { timeoutMs: TIMEOUT_MS })
      if (outcome.kind === 'valid' && outcome.hold !== undefined)
        holds.push({ holdId: outcome.hold.holdId, binding })
      if (outcome.kind === 'unavailable') mayHoldAgain = true
    } else if (deed === 'settle') {
      const outcome = await client.settle(request, { timeoutMs: TIMEOUT_MS })
      if (outcome.kind === 'settled') words.push({ binding, reported: 'settled', reason: '', isLast: true })
      if (outcome.kind === 'failed')
        words.push({
          binding,
          reported: 'failed',
          reason: outcome.reason,
          isLast: !mayChargeYet || isTooLate(outcome),
        })
      if (outcome.kind === 'unknown') mayChargeYet = true
    } else if (hold !== undefined && (await release(url, secret, hold))) {
      words.push({ binding, reported: 'released', reason: '', isLast: !mayHoldAgain && !mayChargeYet })
    }
    await new Promise<void>(resolve => void process.after(random.between(0, 3_000), resolve))
  }
  world.words.ofFacilitators.push(...words.map(word => ({ ...word, payment: key })))
}

/** Who is told so by a facilitator that holds nothing can rely on it, whatever else is on its way (decision 0026). */
function isTooLate({ reason }: { readonly reason: string }): boolean {
  return reason === 'invalid_exact_evm_payload_authorization_valid_before'
}

interface Spoken extends Omit<FacilitatorReport, 'payment' | 'isLast'> {
  isLast: boolean
}

function facilitatorRequest(
  { network }: World,
  { authorization, signature }: RawPayment,
  binding: string,
  holdUntil: number,
): FacilitatorRequest {
  const requirement = createRequirement({
    network,
    payTo: authorization.to,
    amountAtomic: BigInt(authorization.value),
    maxDeadlineSeconds: 20,
  })
  return {
    x402Version: 2,
    paymentPayload: { x402Version: 2, accepted: requirement, payload: { authorization, signature } },
    paymentRequirements: requirement,
    extensions: { [HOLD_EXTENSION]: { binding, holdUntil } },
  }
}

/** Was it given back? Our own client does not ask, because it ends by itself in any case. */
async function release(url: string, secret: string, hold: ReleaseRequest): Promise<boolean> {
  const origin = currentWorld().openOrigin(url)
  const headers = { authorization: `Bearer ${secret}` }
  try {
    const answer = await origin.send({
      method: 'POST',
      path: '/release',
      headers,
      body: hold,
      timeoutMs: TIMEOUT_MS,
    })
    return (answer.body as { readonly released?: unknown } | undefined)?.released === true
  } catch {
    return false
  }
}
