import type { JobResult } from '@farebox/client/attempt/job-result'
import { attemptOf } from '@farebox/client/attempt/paid-attempt'
import { systemClock } from '@farebox/protocol/time/clock'
import type { OpenChain } from '../../chain/open-chain.ts'
import type { LocalEconomy } from '../../keys/local-economy.ts'
import { EXIT, type ExitCode } from '../../command-error.ts'
import { showProgress } from '../../terminal/progress.ts'
import type { World } from '../../world.ts'
import { type CallFailure, deliveredDocument } from './call-document.ts'
import type { CallFacts, CallJournal, EndedCall, SentCall } from '../journal/call-journal.ts'
import { explainPaid } from './explain-paid.ts'
import { explainUnforeseen } from './explain-unpaid.ts'
import { showDelivered } from './show-delivered.ts'

export interface RunningCall {
  /** Starts the exchange. */
  readonly work: () => Promise<JobResult>
  readonly capability: string
  readonly waiting: string
  /** What is in the journal, undefined while nothing is and in dev mode. */
  readonly sent: () => SentCall | undefined
  readonly resumed: boolean
  readonly journal: CallJournal
  readonly chain: OpenChain | undefined
  readonly local: LocalEconomy | undefined
  readonly json: boolean
}

/**
 * Waits for a call's outcome, writes it into the journal, shows it.
 *
 * @throws {CallFailure} what is known of a payment that was sent without an output; else what went wrong before
 */
export async function finishCall(world: World, call: RunningCall): Promise<ExitCode> {
  const result = await waitFor(world, call)
  const { capability, chain, local, json } = call
  const sent = call.sent()
  await end(world, call, 'completed', deliveredDocument(result, capability))
  try {
    await showDelivered(world, { result, capability, json, entry: sent?.entry, chain, local })
  } catch (error) {
    throw sent === undefined ? error : unforeseen(world, sent, error)
  }
  return EXIT.done
}

async function waitFor(world: World, call: RunningCall): Promise<JobResult> {
  const progress = showProgress(world, call.waiting)
  try {
    return await call.work()
  } catch (error) {
    progress.end()
    throw await failureOf(world, call, error)
  } finally {
    progress.end()
  }
}

async function failureOf(world: World, call: RunningCall, error: unknown): Promise<unknown> {
  const { resumed, chain, journal } = call
  const attempt = attemptOf(error)
  const stopped = world.signal.aborted
  if (attempt === undefined || !(error instanceof Error)) {
    const sent = call.sent()
    // A `--resume` knows itself what it was asked to do, and says it.
    if (sent === undefined || resumed) return error
    if (isAbort(world, error)) {
      // Stopped between signature and sending: what was signed is destroyed with the file.
      await journal.remove(sent.jobId)
      return error
    }
    return unforeseen(world, sent, error)
  }
  const nowSeconds = systemClock.nowMs() / 1_000
  const failure = await explainPaid({ error, attempt, resumed, stopped, chain, nowSeconds })
  if (failure.exitCode !== EXIT.unresolved) await end(world, call, 'failed', failure.document)
  return failure
}

/** The client's own end at a person's wish; anything else that is thrown tells nothing of what was sent. */
function isAbort({ signal }: World, error: unknown): boolean {
  return (
    signal.aborted && (error === signal.reason || (error instanceof Error && error.name === 'AbortError'))
  )
}

function unforeseen({ signal }: World, { jobId, capability }: SentCall, error: unknown): CallFailure {
  return explainUnforeseen(error, { jobId, capability, stopped: signal.aborted })
}

/** A journal that cannot be written must not cost anybody the answer: it is said, and the call stays resumable. */
async function end(
  world: World,
  call: RunningCall,
  state: EndedCall['state'],
  document: object,
): Promise<void> {
  const sent = call.sent()
  if (sent === undefined) return
  const { entry: _, state: __, ...facts } = sent
  const ended: CallFacts = facts
  const endedAt = Math.floor(systemClock.nowMs() / 1_000)
  try {
    await call.journal.end({ ...ended, state, endedAt, document: { ...document } })
  } catch {
    world.err.write(`  the journal in ${world.home} could not be written: this call is still listed there\n`)
  }
}
