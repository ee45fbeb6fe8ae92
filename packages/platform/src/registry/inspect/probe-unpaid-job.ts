import { objectOf } from '@farebox/protocol/internal/guards/json'
import { randomUUID } from 'node:crypto'
import { isAddress, sameAddress } from '@farebox/payments/crypto/address'
import type { Network } from '@farebox/payments/networks'
import type { RegistrationCheck } from '@farebox/platform-api/registration/registration-check'
import type { Declaration } from '@farebox/protocol/declaration/declaration'
import { formatUsdc, readPrice } from '@farebox/protocol/money/usdc'
import { SERVICE_VERSION } from '@farebox/protocol/version'
import { readStorableJson } from '../../checking/read-json.ts'
import { PROBE_LIMITS } from '../../outbound/limits.ts'
import type { CalledAgent, OutboundOutcome } from '../../outbound/outbound.ts'
import type { PlatformParts } from '../../platform-parts.ts'
import { failedCheck, passedCheck, type FailedCheck } from './explain-check.ts'
import { failureSentence } from './failure-sentence.ts'
import { refuseProbe, type ProbeResult } from './probe-result.ts'

type Refused = Extract<ProbeResult, { readonly kind: 'refused' }>
type Checked = AsyncGenerator<RegistrationCheck, Refused | undefined>

/** The number of payment options that are read; no agent needs more. */
const MAX_OPTIONS = 20

/**
 * Sends an unpaid job to an agent and checks that it requests payment instead: on the platform's network, with the
 * declared price, to the declared wallet. Yields each check as it ends; returns the refusal, or undefined when all
 * checks pass.
 */
export async function* probeUnpaidJob(
  parts: Pick<PlatformParts, 'outbound' | 'clock' | 'network' | 'settings'>,
  { endpoint, calledFor }: CalledAgent,
  declaration: Declaration,
  signal?: AbortSignal,
): Checked {
  const [capability = ''] = Object.keys(declaration.capabilities)
  const beganMs = parts.clock.nowMs()
  const answer = await parts.outbound.send({
    url: `${endpoint}/execute`,
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      service_version: SERVICE_VERSION,
      job_id: randomUUID(),
      task: { capability, input: {} },
      deadline: Math.floor(beganMs / 1_000) + declaration.max_deadline_seconds,
    }),
    calledFor,
    ...PROBE_LIMITS,
    ...(signal && { signal }),
  })
  const ms = Math.max(0, Math.round(parts.clock.nowMs() - beganMs))
  if (answer.kind === 'answered' && worksForNothing(answer)) {
    const got = 'answers unpaid jobs: dev mode is on, or nothing asks for payment'
    return yield* fail('dev_mode_off', { got, ms })
  }
  const options = readOptions(answer)
  if (typeof options === 'string') return yield* fail('payment_required', { got: options, ms })
  yield passedCheck('dev_mode_off', 'A job without a payment is not done', ms)
  yield passedCheck('payment_required', 'It is answered 402, with how to pay', ms)
  return yield* checkOptions(options, declaration, {
    capability,
    network: parts.network,
    isLocal: parts.settings.localMode,
    ms,
  })
}

async function* fail(
  name: RegistrationCheck['name'],
  failed: FailedCheck,
): AsyncGenerator<RegistrationCheck, Refused> {
  yield failedCheck(name, failed)
  return refuseProbe('execute', failed.got)
}

/**
 * Whether the agent processed the job without payment. In dev mode, an empty input is refused as invalid before any
 * code runs; an agent that validates the input at all has not requested payment.
 */
function worksForNothing({ status, body }: { readonly status: number; readonly body: string }): boolean {
  if (status === 200) return true
  if (status !== 400 && status !== 408) return false
  const json = readStorableJson(body)
  const { error_type: type } = json.ok ? objectOf(json.value) : {}
  return type === 'validation' || type === 'deadline'
}

/** The entries of `accepts`, or the reason why there are none. */
function readOptions(answer: OutboundOutcome): readonly Option[] | string {
  const failure = failureSentence(answer, 402)
  if (failure !== undefined || answer.kind === 'failed') return failure ?? 'cannot be reached'
  const json = readStorableJson(answer.body)
  const options = json.ok ? objectOf(json.value)['accepts'] : undefined
  if (!Array.isArray(options)) return 'answers 402 without saying how to pay'
  return options.slice(0, MAX_OPTIONS).map(objectOf)
}

type Option = ReturnType<typeof objectOf>

async function* checkOptions(
  options: readonly Option[],
  declaration: Declaration,
  {
    capability,
    network,
    isLocal,
    ms,
  }: {
    readonly capability: string
    readonly network: Network
    readonly isLocal: boolean
    readonly ms: number
  },
): Checked {
  const ours = options.filter(option => option['network'] === network.id)
  if (ours.length === 0) {
    const fix = `Set SERVICE_NETWORK=${network.id} and restart the agent`
    const expected = `an entry of "accepts" with network ${network.id}`
    return yield* fail('network', { got: `does not take payments on ${network.id}`, ms, expected, fix })
  }
  const where = isLocal ? `the local chain (as ${network.name}, ${network.chainId})` : network.name
  yield passedCheck('network', `It takes payments on ${where}`, ms)
  const price = readPrice(declaration.capabilities[capability]?.pricing.amount)
  const atomic = price.ok ? price.atomic : undefined
  const priced = ours.filter(
    option =>
      option['scheme'] === 'exact' &&
      isAddress(option['asset']) &&
      sameAddress(option['asset'], network.asset.address) &&
      atomic !== undefined &&
      option['maxAmountRequired'] === atomic.toString(),
  )
  if (priced.length === 0) {
    const expected =
      atomic === undefined ? undefined : `maxAmountRequired "${atomic}" (${formatUsdc(atomic)} USDC)`
    const got = 'asks for another price than /about declares'
    return yield* fail('price', { got, ms, ...(expected !== undefined && { expected }) })
  }
  yield passedCheck('price', 'It asks for the declared price', ms)
  if (!priced.some(({ payTo }) => isAddress(payTo) && sameAddress(payTo, declaration.wallet))) {
    const expected = `payTo ${declaration.wallet.toLowerCase()}`
    return yield* fail('wallet', { got: 'asks to pay another wallet than /about declares', ms, expected })
  }
  yield passedCheck('wallet', 'It asks to be paid to the declared wallet', ms)
  return undefined
}
