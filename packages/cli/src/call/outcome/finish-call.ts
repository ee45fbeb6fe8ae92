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
  /** Returns the journalled call; `undefined` while there is none, and in dev mode. */
  readonly sent: () => SentCall | undefined
  readonly resumed: boolean
  readonly journal: CallJournal
  readonly chain: OpenChain | undefined
  readonly local: LocalEconomy | undefined
  readonly json: boolean
}

/**
 * Waits for the outcome of a call, writes it to the journal and shows it.
 *
 * @throws {CallFailure} describing a sent payment without an output; otherwise the error that occurred before
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
    // `--resume` reports this itself.
    if (sent === undefined || resumed) return error
    if (isAbort(world, error)) {
      // The call was stopped between signing and sending: the signed payment is deleted with the file.
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

/** Returns whether the client ended because the person stopped it; other errors say nothing about what was sent. */
function isAbort({ signal }: World, error: unknown): boolean {
  return (
    signal.aborted && (error === signal.reason || (error instanceof Error && error.name === 'AbortError'))
  )
}

function unforeseen({ signal }: World, { jobId, capability }: SentCall, error: unknown): CallFailure {
  return explainUnforeseen(error, { jobId, capability, stopped: signal.aborted })
}

/** A failed write to the journal must not lose the response: it is reported, and the call remains resumable. */
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
