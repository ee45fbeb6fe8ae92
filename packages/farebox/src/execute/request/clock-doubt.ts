import { DeadlineError } from '@farebox/protocol/errors/service-errors'
import { describeAgentClock } from '../../payment-gate/facilitator-clock.ts'
import { TryLater } from '../service/admission.ts'
import type { Deadline } from '../../handler/enforce-deadline.ts'
import type { Service } from '../service/service.ts'

/** A clock is corrected by an operator, or by time synchronization within its next rounds. */
const RETRY_AFTER_SECONDS = 30

/**
 * A 503 that is not the payer's fault and charges nothing: the clocks of this agent and of its facilitator differ so
 * much that by one of them the job would be accepted and by the other it would be refused (decision 47).
 */
export function clockDoubt(aheadSeconds: number): TryLater {
  return new TryLater(
    `${describeAgentClock(aheadSeconds)}: nothing was charged, try again with the same payment`,
    RETRY_AFTER_SECONDS,
  )
}

/** See `PaymentGate.clockAheadSeconds`; 0 in dev mode. */
export function clockAhead({ payments }: Pick<Service, 'payments'>): number {
  return payments?.gate?.clockAheadSeconds() ?? 0
}

/** A copy of the service whose clock shows the facilitator's time. */
export function byTheirClock(service: Service, aheadSeconds: number): Service {
  const { clock } = service
  return { ...service, clock: { ...clock, nowMs: () => clock.nowMs() - aheadSeconds * 1_000 } }
}

/**
 * The given refusal for a deadline, when both clocks agree whether the deadline has passed; otherwise a
 * {@link clockDoubt}.
 */
export function orClockDoubt(service: Service, { atMs }: Deadline, refusal: Error): Error {
  const aheadSeconds = clockAhead(service)
  const nowMs = service.clock.nowMs()
  const theirsMs = nowMs - aheadSeconds * 1_000
  return nowMs >= atMs === theirsMs >= atMs ? refusal : clockDoubt(aheadSeconds)
}

/** The refusal to send for a run with agreed terms: a `DeadlineError` is checked by both clocks. */
export function refusalByClock(service: Service, deadline: Deadline, refusal: unknown): unknown {
  return refusal instanceof DeadlineError ? orClockDoubt(service, deadline, refusal) : refusal
}

/**
 * The time by the agent's clock until which a handler may run: the deadline, or earlier by as much as this clock is
 * behind. The facilitator's clock can shorten a run, never prolong it. Throws a {@link clockDoubt} when no time is
 * left.
 */
export function endOfRun(service: Service, { atMs }: Deadline): Deadline {
  const aheadSeconds = clockAhead(service)
  const untilMs = atMs + Math.min(0, aheadSeconds) * 1_000
  if (aheadSeconds < 0 && service.clock.nowMs() >= untilMs) throw clockDoubt(aheadSeconds)
  return { atMs: untilMs }
}
