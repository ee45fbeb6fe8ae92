import { execute } from '@farebox/client/execute'
import type { JournalEntry } from '@farebox/client/attempt/journal-entry'
import { PaymentUnresolved } from '@farebox/client/attempt/payment-unresolved'
import { resume } from '@farebox/client/resume'
import { paymentKey } from '@farebox/payments/authorization/eip-3009'
import { decodePaymentHeader } from '@farebox/payments/x402/payment-header'
import { isServiceError } from 'farebox'
import type { ClientReport } from '../records/words.ts'
import { EXACT, processClock } from '../time/process-clocks.ts'
import { nameOf, startErrandProcess, type Errand } from './errand.ts'
import { makeMischief } from './mischief.ts'
import { createFetch } from './send-to-agent.ts'

/**
 * Runs a job with our client; if its process dies, another one resumes from the journal, or starts. `end` is called
 * when our client has returned a result.
 */
export function runClientErrand(errand: Errand, journalled: JournalEntry | undefined, end: () => void): void {
  const { world, plan, random, known, own, process } = errand
  const { agent, payer, jobId } = own
  let entry = journalled
  process.onDeath(() => {
    // In the end they are all stopped.
    if (world.wires.faults.isCalm) return
    world.wires.time.after(random.between(100, 10_000), () =>
      runClientErrand({ ...errand, process: startErrandProcess(errand) }, entry, end),
    )
  })
  const connection = { fetch: createFetch(world, process, agent), clock: processClock(process, EXACT) }
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
              noteSigned(errand, written.header)
            },
          },
        )
      : resume(entry, connection)
  const told = (kind: ClientReport['reported'], words: string): void => {
    world.wires.trace.note(errand.name, () => `is told: ${kind}, ${words}`)
    const payment = entry && paymentKey(world.network, readHeader(entry.header).authorization)
    world.words.ofClients.push({ job: nameOf(own), payment, reported: kind, words })
    end()
  }
  work.then(
    ({ payment }) => told('done', payment?.transaction ?? ''),
    (error: unknown) => told(kindOf(error), error instanceof Error ? error.message : ''),
  )
}

/** The meaning of a rejection of our client, by its documentation. */
function kindOf(error: unknown): ClientReport['reported'] {
  if (error instanceof PaymentUnresolved) return 'unresolved'
  return isServiceError(error) ? 'failed' : 'nothing was paid'
}

/** Records a signature of our client, and applies the planned interference. */
function noteSigned({ world, plan, random, own }: Errand, header: string): void {
  const { authorization, signature } = readHeader(header)
  const payment = paymentKey(world.network, authorization)
  const job = nameOf(own)
  world.boundTo.set(payment, job)
  world.words.signed.set(job, (world.words.signed.get(job) ?? new Set()).add(payment))
  if (plan.mischief !== undefined)
    makeMischief(world, plan.mischief, own.payer, { authorization, signature }, random)
}

function readHeader(header: string) {
  const decoded = decodePaymentHeader(header)
  if (!decoded.ok) throw new Error('our client made a header that we cannot read')
  return decoded.payment
}
