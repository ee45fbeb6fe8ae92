import { paymentKey } from '@farebox/payments/authorization/eip-3009'
import {
  HOLD_EXTENSION,
  type FacilitatorRequest,
  type ReleaseRequest,
} from '@farebox/payments/x402/facilitator-api'
import { createFacilitatorClient } from '@farebox/payments/x402/facilitator-client'
import type { SignedPayment } from '@farebox/payments/x402/sign-payment'
import { createRequirement } from '@farebox/payments/x402/requirement'
import type { FacilitatorReport } from '../records/words.ts'
import { hostName } from '../parties/supervise.ts'
import { currentWorld } from '../stand-ins/current-world.ts'
import type { World } from '../build-world.ts'
import type { Errand } from './errand.ts'

const TIMEOUT_MS = 6_000
/** A refusal by a facilitator without holds is final, whatever else is in progress (decision 26). */
const TOO_LATE = 'invalid_exact_evm_payload_authorization_valid_before'

/**
 * Uses our facilitator like a badly written agent of another author: verifies, settles and releases one payment in any
 * order, for one purpose and for another.
 */
export async function meddle(
  { world, stage, process, random }: Errand,
  payment: SignedPayment,
): Promise<void> {
  const { secret } = stage.secret
  const url = `http://facilitator.${hostName(process)}`
  world.processes.set(hostName(process), process)
  const client = createFacilitatorClient({ url, secret })
  const purposes = [random.hex(32), random.hex(32)]
  const key = paymentKey(world.network, payment.authorization)
  world.meddled.set(key, Number(payment.authorization.validBefore))
  const holds: ReleaseRequest[] = []
  const words: (Omit<FacilitatorReport, 'isLast'> & { isLast: boolean })[] = []
  // A late or repeated hold reserves a released payment again.
  const { duplication, slowness } = world.wires.faults.plan.amount
  let mayHoldAgain = duplication > 0 || slowness > 0
  // A lost request may arrive after a later refusal or release: that answer is then not final.
  let mayChargeYet = false
  for (let left = random.between(2, 7); left > 0; left -= 1) {
    const binding = random.chance(0.75) ? (purposes[0] ?? '') : (purposes[1] ?? '')
    const request = facilitatorRequest(world, payment, binding, process.nowMs() / 1_000 + 20)
    const deed = random.pick(['verify', 'verify', 'settle', 'release'] as const)
    const hold = holds.length === 0 ? undefined : random.pick(holds)
    // An answer before an attempt to charge or to hold need not be valid after it.
    for (const word of words) word.isLast &&= word.reported === 'released' ? deed !== 'verify' : false
    const report = (reported: FacilitatorReport['reported'], reason: string, isLast: boolean): void =>
      void words.push({ payment: key, binding, reported, reason, isLast })
    if (deed === 'verify') {
      const outcome = await client.verify(request, { timeoutMs: TIMEOUT_MS })
      if (outcome.kind === 'valid' && outcome.hold !== undefined)
        holds.push({ holdId: outcome.hold.holdId, binding })
      if (outcome.kind === 'unavailable') mayHoldAgain = true
    } else if (deed === 'settle') {
      const outcome = await client.settle(request, { timeoutMs: TIMEOUT_MS })
      if (outcome.kind === 'settled') report('settled', '', true)
      if (outcome.kind === 'failed')
        report('failed', outcome.reason, !mayChargeYet || outcome.reason === TOO_LATE)
      if (outcome.kind === 'unknown') mayChargeYet = true
    } else if (hold !== undefined && (await release(url, secret, hold)))
      report('released', '', !mayHoldAgain && !mayChargeYet)
    await process.sleep(random.between(0, 3_000))
  }
  world.words.ofFacilitators.push(...words)
}

function facilitatorRequest(
  { network }: World,
  { authorization, signature }: SignedPayment,
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

/** Whether it was released. Our own client does not ask, because the hold expires in any case. */
async function release(url: string, secret: string, hold: ReleaseRequest): Promise<boolean> {
  const headers = { authorization: `Bearer ${secret}` }
  const request = { method: 'POST', path: '/release', headers, body: hold, timeoutMs: TIMEOUT_MS } as const
  try {
    const answer = await currentWorld().openOrigin(url).send(request)
    return (answer.body as { readonly released?: unknown } | undefined)?.released === true
  } catch {
    return false
  }
}
