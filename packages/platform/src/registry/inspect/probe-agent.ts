import type { RegistrationCheck } from '@farebox/platform-api/registration/registration-check'
import { MAX_AGENT_NAME_CHARACTERS } from '@farebox/protocol/limits'
import { SERVICE_VERSION } from '@farebox/protocol/version'
import { PROBE_LIMITS } from '../../outbound/limits.ts'
import type { CalledAgent, OutboundOutcome } from '../../outbound/outbound.ts'
import type { PlatformParts } from '../../platform-parts.ts'
import { failedCheck, passedCheck } from './explain-check.ts'
import { failureSentence } from './failure-sentence.ts'
import { refuseProbe, type ProbeResult } from './probe-result.ts'
import { objectOf } from '@farebox/protocol/internal/guards/json'
import { probeUnpaidJob } from './probe-unpaid-job.ts'
import { readAbout } from './read-about.ts'
import { readStorableJson } from '../../checking/read-json.ts'

type ProbingParts = Pick<PlatformParts, 'outbound' | 'checker' | 'crypto' | 'clock' | 'network' | 'settings'>
type Refused = Extract<ProbeResult, { readonly kind: 'refused' }>

/**
 * Probes an agent before it is listed (issue "The platform", 2): `/health`, `/about`, and one job without payment,
 * which must be answered with 402 and request the declared price on the platform's network for the declared wallet. All
 * calls go through the outbound guard (D37).
 *
 * Nothing that an untrusted host does makes this function throw.
 *
 * @param agent - its base URL in any spelling
 */
export async function probeAgent(
  parts: ProbingParts,
  { endpoint, calledFor }: CalledAgent,
  signal?: AbortSignal,
): Promise<ProbeResult> {
  const verdict = parts.outbound.judge(endpoint, calledFor)
  if (!verdict.ok) return refuseProbe('endpoint', verdict.reason)
  const steps = probeInSteps(parts, { endpoint: verdict.url, calledFor }, signal)
  for (;;) {
    const step = await steps.next()
    if (step.done === true) return step.value
  }
}

/**
 * Like {@link probeAgent}, but yields each check as it ends. It stops at the first required check that fails.
 *
 * @param agent - its base URL as returned by the outbound guard
 */
export async function* probeInSteps(
  parts: ProbingParts,
  agent: CalledAgent,
  signal?: AbortSignal,
): AsyncGenerator<RegistrationCheck, ProbeResult> {
  const health = await timed(parts, probeHealth(parts, agent, signal))
  if (health.kind === 'refused') {
    const { reason: got, ms } = health
    yield failedCheck('health', { got, ms, ...(health.isOther === true && { fix: SOMETHING_ELSE }) })
    return refuseProbe(health.field, health.reason)
  }
  yield passedCheck('health', 'GET /health answers', health.ms)
  const about = await timed(parts, readAbout(parts, agent, signal))
  if (about.kind === 'missing') {
    const fix =
      'Serve GET /about to be paid and called here; else it is listed as provisional, without prices'
    yield failedCheck('about', { got: 'answers 404', ms: about.ms, fix, severity: 'advice' })
    return { kind: 'phase-1', name: health.name }
  }
  if (about.kind === 'refused') {
    yield failedCheck('about', { got: about.reason, ms: about.ms })
    return refuseProbe(about.field, about.reason)
  }
  const { declaration, wallet } = about
  const count = Object.keys(declaration.capabilities).length
  yield passedCheck(
    'about',
    `GET /about declares ${count} ${count === 1 ? 'capability' : 'capabilities'}`,
    about.ms,
  )
  yield health.name === declaration.name
    ? passedCheck('health_name', '/health and /about say the same name')
    : failedCheck('health_name', { got: 'is another than that of /about', ms: null })
  return (yield* probeUnpaidJob(parts, agent, declaration, signal)) ?? { kind: 'agent', declaration, wallet }
}

const SOMETHING_ELSE = 'Something else answers here: check the port and the path'

async function timed<T extends object>(
  { clock }: Pick<PlatformParts, 'clock'>,
  work: Promise<T>,
): Promise<T & { readonly ms: number }> {
  const beganMs = clock.nowMs()
  const result = await work
  return { ...result, ms: Math.max(0, Math.round(clock.nowMs() - beganMs)) }
}

/** Requests `GET /health`. The name is empty when it is longer than allowed. */
export async function probeHealth(
  parts: Pick<PlatformParts, 'outbound'>,
  { endpoint, calledFor }: CalledAgent,
  signal?: AbortSignal,
): Promise<
  | { readonly kind: 'healthy'; readonly name: string; readonly isOther?: never }
  | (Refused & { /** The server that responded is not an agent. */ readonly isOther?: boolean })
> {
  const url = `${endpoint}/health`
  const answer = await parts.outbound.send({
    url,
    method: 'GET',
    calledFor,
    ...PROBE_LIMITS,
    ...(signal && { signal }),
  })
  const failure = failureSentence(answer)
  if (failure !== undefined || answer.kind === 'failed')
    return { ...refuseProbe('health', failure ?? 'cannot be reached'), isOther: answersOtherwise(answer) }
  const json = readStorableJson(answer.body)
  if (!json.ok) return { ...refuseProbe('health', json.reason), isOther: true }
  const { name, version, status } = objectOf(json.value)
  if (version !== SERVICE_VERSION || status !== 'ok' || typeof name !== 'string') {
    const reason = 'does not answer {"name", "version": "1.0", "status": "ok"}'
    return { ...refuseProbe('health', reason), isOther: true }
  }
  return { kind: 'healthy', name: name.length <= MAX_AGENT_NAME_CHARACTERS ? name : '' }
}

/**
 * Whether another server responds at this address: an agent responds to `/health` with 200, and a proxy without a
 * running agent with a server error.
 */
function answersOtherwise(answer: OutboundOutcome): boolean {
  if (answer.kind === 'answered') return answer.status < 500
  return answer.reason === 'too-large' || answer.reason === 'not-acceptable'
}
