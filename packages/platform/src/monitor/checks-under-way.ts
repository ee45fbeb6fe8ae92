import { describeError } from '@farebox/server/log'
import { startDeadline } from '../outbound/deadline.ts'
import { createSlots, type Slots } from '../outbound/slots.ts'
import type { PlatformParts } from '../platform-parts.ts'
import { checkAgent, type CheckResult } from './ask/check-agent.ts'
import type { CheckLease } from './lease-checks.ts'
import { finishChecks, type CheckEnded, type FinishMeans } from './finish-checks.ts'

/** The checks that one process makes at a time. */
export interface ChecksUnderWay {
  /** How many more may begin. */
  free(): number
  start(lease: CheckLease): void
  /** Resolves once all that began is written or given back. */
  ended(): Promise<void>
}

/** What ended is gathered for so long, so that it is written together. */
const COLLECT_MS = 25
const GROUP = 500

/** How long a second attempt may wait for its turn; then the check comes to nothing and is made again a little later. */
const TIMEOUT_MS = 20_000

/**
 * Makes checks, so many first attempts at a time. Second attempts may last six times as long and have places of their
 * own: however many agents are slow, the others are checked when they are due (HLT-07).
 */
export function makeChecks(
  parts: PlatformParts,
  means: FinishMeans,
  limits: { readonly atOnce: number; readonly secondAtOnce: number },
): ChecksUnderWay {
  const secondTurns = createSlots(limits.secondAtOnce)
  const settle = settleInGroups(parts, means)
  const underWay = new Set<Promise<void>>()
  let firstAttempts = 0

  const start = (lease: CheckLease): void => {
    firstAttempts += 1
    let inFirst = true
    const leaveFirst = (): void => {
      if (inFirst) firstAttempts -= 1
      inFirst = false
    }
    const check = checkLease(parts, lease, means.signal, () => {
      leaveFirst()
      return takeTurn(parts, secondTurns, means.signal)
    }).then(result => {
      leaveFirst()
      underWay.delete(check)
      settle.add({ lease, result })
    })
    underWay.add(check)
  }
  return {
    free: () => limits.atOnce - firstAttempts,
    start,
    async ended() {
      await Promise.all(underWay)
      await settle.ended()
    },
  }
}

async function checkLease(
  { outbound, log }: PlatformParts,
  { agentId, endpoint, name }: CheckLease,
  signal: AbortSignal,
  takeSecondTurn: () => Promise<(() => void) | undefined>,
): Promise<CheckResult | undefined> {
  if (endpoint === undefined) return { ok: false, reason: 'refused-address' }
  try {
    return await checkAgent(outbound, { endpoint, name }, takeSecondTurn, signal)
  } catch (error) {
    log.error('check broke', { agent: agentId, error: describeError(error) })
    return undefined
  }
}

async function takeTurn(
  { clock, log }: PlatformParts,
  turns: Slots,
  signal: AbortSignal,
): Promise<(() => void) | undefined> {
  const deadline = startDeadline(clock, TIMEOUT_MS, [signal])
  try {
    return await turns.take('second attempts', deadline.signal)
  } catch {
    if (!signal.aborted) log.warn('too many slow agents: a check waits for its second attempt in vain')
    return undefined
  } finally {
    deadline.stop()
  }
}

/** Settles what ended in groups, one after the other. */
function settleInGroups(
  parts: PlatformParts,
  means: FinishMeans,
): { add(ended: CheckEnded): void; ended(): Promise<void> } {
  const queue: CheckEnded[] = []
  let settling: Promise<void> | undefined
  const settleAll = async (): Promise<void> => {
    while (queue.length > 0) {
      if (queue.length < GROUP) await parts.clock.sleep(COLLECT_MS, means.signal)
      // Where they cannot be written, their leases run out and somebody checks them again.
      await finishChecks(parts, means, queue.splice(0, GROUP)).catch((error: unknown) => {
        parts.log.error('checks not written', { error: describeError(error) })
      })
    }
    settling = undefined
  }
  return {
    add(ended) {
      queue.push(ended)
      settling ??= settleAll()
    },
    async ended() {
      await settling
    },
  }
}
