import { execute } from '@farebox/client/execute'
import type { JournalEntry } from '@farebox/client/attempt/journal-entry'
import { PaymentUnresolved } from '@farebox/client/attempt/payment-unresolved'
import { resume } from '@farebox/client/resume'
import { paymentKey } from '@farebox/payments/authorization/eip-3009'
import { decodePaymentHeader } from '@farebox/payments/x402/payment-header'
import { isServiceError } from 'farebox'
import type { ClientReport } from '../records/report-records.ts'
import { clientClock } from '../time/process-clocks.ts'
import type { VirtualProcess } from '../time/virtual-process.ts'
import type { World } from '../world.ts'
import { nameOf, startErrandProcess, type ErrandParts, type KnownJob } from './errand.ts'
import { makeMischief } from './mischief.ts'
import { createFetch } from './send-to-agent.ts'
import type { RawPayment } from './sign-raw-payment.ts'

/** Where an errand of our client goes on. */
interface Continuation {
  /** What its process had written down before it died. */
  readonly journalled?: JournalEntry | undefined
  /** Told when our client has said what came of it. */
  readonly end: () => void
}

/** Has our client do a job; where its process dies, another one takes it up from the journal, or begins. */
export function runClientErrand(
  parts: ErrandParts,
  process: VirtualProcess,
  own: KnownJob,
  { journalled, end }: Continuation,
): void {
  const { world, plan, random, known } = parts
  const { agent, payer, jobId } = own
  let entry = journalled
  process.onDeath(() => {
    // In the end they are all stopped.
    if (world.wires.faults.isCalm) return
    world.wires.time.after(random.between(100, 10_000), () =>
      runClientErrand(parts, startErrandProcess(parts), own, { journalled: entry, end }),
    )
  })
  const connection = { fetch: createFetch(world, process, agent), clock: clientClock(process) }
  const work =
    entry === undefined
      ? execute(
          { url: agent.url, declaration: agent.declaration },
          plan.capability,
          { text: jobId.slice(0, 8) },
          {
            ...connection,
            signer: payer.signer,
            crypto: world.crypto,
            jobId,
            journal(written) {
              entry = written
              known.push(own)
              noteSigned(parts, own, written.header)
            },
          },
        )
      : resume(entry, connection)
  const told = (kind: ClientReport['reported'], words: string): void => {
    world.wires.trace.note(parts.name, () => `is told: ${kind}, ${words}`)
    const payment = entry && paymentOf(world, entry.header)
    world.words.ofClients.push({ job: nameOf(own), payment, reported: kind, words })
    end()
  }
  work.then(
    ({ payment }) => told('done', payment?.transaction ?? ''),
    (error: unknown) => told(kindOf(error), error instanceof Error ? error.message : ''),
  )
}

/** What a rejection of our client means, by its own documentation. */
function kindOf(error: unknown): ClientReport['reported'] {
  if (error instanceof PaymentUnresolved) return 'unresolved'
  return isServiceError(error) ? 'failed' : 'nothing was paid'
}

/** Notes what our client has signed, and lets happen to it what is to happen. */
function noteSigned({ world, plan, random }: ErrandParts, own: KnownJob, header: string): void {
  const { payload } = JSON.parse(Buffer.from(header, 'base64').toString('utf8')) as { payload: RawPayment }
  const payment = paymentKey(world.network, payload.authorization)
  const job = nameOf(own)
  world.boundTo.set(payment, job)
  world.words.signed.set(job, (world.words.signed.get(job) ?? new Set()).add(payment))
  if (plan.mischief !== undefined)
    makeMischief(world, plan.mischief, own.payer, { ...payload, header }, random)
}

function paymentOf({ network }: World, header: string): string | undefined {
  const decoded = decodePaymentHeader(header)
  return decoded.ok ? paymentKey(network, decoded.payment.authorization) : undefined
}
