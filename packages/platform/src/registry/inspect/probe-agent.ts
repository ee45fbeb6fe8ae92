import { randomUUID } from 'node:crypto'
import { isAddress, sameAddress } from '@farebox/payments/crypto/address'
import type { Network } from '@farebox/payments/networks'
import type { Declaration } from '@farebox/protocol/declaration/declaration'
import { MAX_AGENT_NAME_CHARACTERS } from '@farebox/protocol/limits'
import { readPrice } from '@farebox/protocol/money/usdc'
import { SERVICE_VERSION } from '@farebox/protocol/version'
import { PROBE_LIMITS } from '../../outbound/limits.ts'
import type { PlatformParts } from '../../platform-parts.ts'
import { refuse, type ProbeResult } from './probe-result.ts'
import { failureSentence } from './failure-sentence.ts'
import { readAbout } from './read-about.ts'
import { readJson } from '../../checking/read-json.ts'

type ProbingParts = Pick<PlatformParts, 'outbound' | 'checker' | 'crypto' | 'clock' | 'network'>
type Refused = Extract<ProbeResult, { readonly kind: 'refused' }>

/** Nobody lists more ways to be paid; an agent's list is read no further. */
const MAX_OPTIONS = 20

/**
 * Probes an agent as whoever lists it has to (issue "The platform", 2): `/health`, `/about`, and one job without
 * payment, which must be answered 402 and ask for the declared price on our network for the declared wallet. Everything
 * through the outbound guard (D37).
 *
 * Nothing is thrown for what an untrusted host does.
 *
 * @param endpoint base URL in any spelling
 */
export async function probeAgent(
  parts: ProbingParts,
  endpoint: string,
  signal?: AbortSignal,
): Promise<ProbeResult> {
  const verdict = parts.outbound.judge(endpoint)
  if (!verdict.ok) return refuse('endpoint', verdict.reason)
  const health = await readHealth(parts, verdict.url, signal)
  if (health.kind === 'refused') return health
  const about = await readAbout(parts, verdict.url, signal)
  if (about.kind === 'missing') return { kind: 'phase-1', name: health.name }
  if (about.kind === 'refused') return about
  return (await refuseUnpaidJob(parts, verdict.url, about.declaration, signal)) ?? about
}

/** What `GET /health` tells; the name is empty where it is no text of a sensible length. */
export async function readHealth(
  parts: Pick<PlatformParts, 'outbound'>,
  endpoint: string,
  signal?: AbortSignal,
): Promise<{ readonly kind: 'healthy'; readonly name: string } | Refused> {
  const url = `${endpoint}/health`
  const answer = await parts.outbound.send({
    url,
    method: 'GET',
    ...PROBE_LIMITS,
    ...(signal && { signal }),
  })
  const failure = failureSentence(answer)
  if (failure !== undefined || answer.kind === 'failed')
    return refuse('health', failure ?? 'cannot be reached')
  const json = readJson(answer.body)
  if (!json.ok) return refuse('health', json.reason)
  const { name, version, status } = objectOf(json.value)
  if (version !== SERVICE_VERSION || status !== 'ok' || typeof name !== 'string') {
    return refuse('health', 'does not answer {"name", "version": "1.0", "status": "ok"}')
  }
  return { kind: 'healthy', name: name.length <= MAX_AGENT_NAME_CHARACTERS ? name : '' }
}

/** Why an agent that is asked to work for nothing does not do what it should, or undefined where it does. */
async function refuseUnpaidJob(
  parts: ProbingParts,
  endpoint: string,
  declaration: Declaration,
  signal?: AbortSignal,
): Promise<Refused | undefined> {
  const [capability = ''] = Object.keys(declaration.capabilities)
  const answer = await parts.outbound.send({
    url: `${endpoint}/execute`,
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      service_version: SERVICE_VERSION,
      job_id: randomUUID(),
      task: { capability, input: {} },
      deadline: Math.floor(parts.clock.nowMs() / 1_000) + declaration.max_deadline_seconds,
    }),
    ...PROBE_LIMITS,
    ...(signal && { signal }),
  })
  if (answer.kind === 'answered' && worksForNothing(answer)) {
    return refuse('execute', 'answers unpaid jobs: dev mode is on, or nothing asks for payment')
  }
  const failure = failureSentence(answer, 402)
  if (failure !== undefined || answer.kind === 'failed') {
    return refuse('execute', failure ?? 'cannot be reached')
  }
  const json = readJson(answer.body)
  const options = json.ok ? objectOf(json.value)['accepts'] : undefined
  if (!Array.isArray(options)) return refuse('execute', 'answers 402 without saying how to pay')
  return refuseOptions(options.slice(0, MAX_OPTIONS), declaration, capability, parts.network)
}

/** In dev mode an empty input is refused as wrong before anything runs: whoever looks at it at all asked for no pay. */
function worksForNothing({ status, body }: { readonly status: number; readonly body: string }): boolean {
  if (status === 200) return true
  if (status !== 400 && status !== 408) return false
  const json = readJson(body)
  const { error_type: type } = json.ok ? objectOf(json.value) : {}
  return type === 'validation' || type === 'deadline'
}

function refuseOptions(
  options: readonly unknown[],
  declaration: Declaration,
  capability: string,
  network: Network,
): Refused | undefined {
  const ours = options.map(objectOf).filter(option => option['network'] === network.id)
  if (ours.length === 0) return refuse('execute', `does not take payments on ${network.id}`)
  const price = readPrice(declaration.capabilities[capability]?.pricing.amount)
  const priced = ours.filter(
    option =>
      option['scheme'] === 'exact' &&
      isAddress(option['asset']) &&
      sameAddress(option['asset'], network.asset.address) &&
      price.ok &&
      option['maxAmountRequired'] === price.atomic.toString(),
  )
  if (priced.length === 0) return refuse('execute', 'asks for another price than /about declares')
  const isForWallet = priced.some(({ payTo }) => isAddress(payTo) && sameAddress(payTo, declaration.wallet))
  return isForWallet ? undefined : refuse('execute', 'asks to pay another wallet than /about declares')
}

function objectOf(value: unknown): { readonly [key: string]: unknown } {
  // Whatever it is, only its own properties of documented names are looked at.
  return typeof value === 'object' && value !== null ? (value as { readonly [key: string]: unknown }) : {}
}
