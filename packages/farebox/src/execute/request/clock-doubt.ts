import { DeadlineError } from '@farebox/protocol/errors/service-errors'
import { describeAgentClock } from '../../payment-gate/facilitator-clock.ts'
import { TryLater } from '../service/admission.ts'
import type { Deadline } from '../../handler/enforce-deadline.ts'
import type { Service } from '../service/service.ts'

/** A clock is set by a person, or by a time server within its next rounds. */
const RETRY_AFTER_SECONDS = 30

/**
 * Not the payer's fault and not charged (503): this agent's clock and its facilitator's differ so far that one of them
 * would take this job and the other would not (decision 47).
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

/** A service that goes by its facilitator's clock. */
export function byTheirClock(service: Service, aheadSeconds: number): Service {
  const { clock } = service
  return { ...service, clock: { ...clock, nowMs: () => clock.nowMs() - aheadSeconds * 1_000 } }
}

/**
 * The refusal of a job for its deadline, where both clocks say that it has passed or both that it has not; else the
 * doubt.
 */
export function orClockDoubt(service: Service, { atMs }: Deadline, refusal: Error): Error {
  const aheadSeconds = clockAhead(service)
  const nowMs = service.clock.nowMs()
  const theirsMs = nowMs - aheadSeconds * 1_000
  return nowMs >= atMs === theirsMs >= atMs ? refusal : clockDoubt(aheadSeconds)
}

/** A refusal of a run that was agreed on, as it is sent: one for its deadline by both clocks. */
export function refusalByClock(service: Service, deadline: Deadline, refusal: unknown): unknown {
  return refusal instanceof DeadlineError ? orClockDoubt(service, deadline, refusal) : refusal
}

/**
 * Until when a handler may run, by our clock: the deadline, or as much earlier as we are behind. What the facilitator
 * says can shorten a run, never prolong it. Throws the doubt where nothing is left.
 */
export function endOfRun(service: Service, { atMs }: Deadline): Deadline {
  const aheadSeconds = clockAhead(service)
  const untilMs = atMs + Math.min(0, aheadSeconds) * 1_000
  if (aheadSeconds < 0 && service.clock.nowMs() >= untilMs) throw clockDoubt(aheadSeconds)
  return { atMs: untilMs }
}
