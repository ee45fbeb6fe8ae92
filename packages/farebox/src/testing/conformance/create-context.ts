import { randomBytes, randomUUID } from 'node:crypto'
import { toHex } from '@farebox/payments/bytes'
import { loadEvmCrypto } from '@farebox/payments/evm-crypto'
import { privateKeySigner } from '@farebox/payments/sign-payment'
import { readAgent } from './agent-view.ts'
import type { AgentMode } from './check.ts'
import { NotApplicable } from './verdicts.ts'
import { postJob, type CheckContext, type DeliveredJob, type KnownAgent, type Payer } from './context.ts'
import { expectCompleted } from './expectations.ts'
import { readTerms, signedHeader, type Terms } from './forge-payment.ts'
import { sendRequest, type Sending } from './send-request.ts'

const DEFAULT_MAX_JOBS = 20

/** Payments live for a minute at least (D3); one is used again for so long. */
const FRESH_SECONDS = 20

/** Makes the context of a run. */
export function createContext(
  sending: Sending,
  options: {
    readonly mode: AgentMode
    readonly payer?: Payer | undefined
    readonly known?: KnownAgent | undefined
  },
): CheckContext {
  const { mode, payer, known = {} } = options
  const terms = new Map<string | undefined, Promise<Terms>>()
  const tries = new Map<
    string | undefined,
    { jobId: string; payment: string | undefined; atSeconds: number }
  >()
  let paidJobs = 0

  const context: CheckContext = {
    baseUrl: sending.baseUrl,
    mode,
    known,
    nowSeconds: () => sending.clock.nowMs() / 1_000,
    crypto: once(() => loadEvmCrypto()),
    stranger: once(async () => privateKeySigner(await context.crypto(), toHex(randomBytes(32)))),
    payer() {
      if (payer === undefined) throw new NotApplicable('payer', 'it needs a payer')
      return payer
    },
    send: outgoing => sendRequest(sending, outgoing),
    agent: once(() => readAgent(context)),
    terms(capability) {
      const known = terms.get(capability) ?? readTerms(context, capability)
      terms.set(capability, known)
      return known
    },
    async jobBody(wish = {}) {
      const { first, sampleOf, maxDeadlineSeconds } = await context.agent()
      const { capability, jobId = randomUUID(), deadline } = wish
      return {
        service_version: '1.0',
        job_id: jobId,
        task: {
          ...(capability !== undefined && { capability }),
          input: Object.hasOwn(wish, 'input') ? wish.input : sampleOf(capability ?? first),
        },
        deadline: deadline ?? context.nowSeconds() + maxDeadlineSeconds,
      }
    },
    async runJob(wish = {}) {
      const jobId = wish.jobId ?? randomUUID()
      const payment = wish.payment ?? (await context.pay(jobId, wish.capability))
      return await postJob(context, await context.jobBody({ ...wish, jobId }), payment)
    },
    async tryInput(input, capability) {
      const last = mode === 'paid' ? tries.get(capability) : undefined
      const atSeconds = context.nowSeconds()
      const fresh = last !== undefined && atSeconds - last.atSeconds < FRESH_SECONDS
      const jobId = fresh ? last.jobId : randomUUID()
      const payment = fresh ? last.payment : await context.pay(jobId, capability)
      if (!fresh) tries.set(capability, { jobId, payment, atSeconds })
      return await postJob(
        context,
        await context.jobBody({ jobId, input, ...(capability !== undefined && { capability }) }),
        payment,
      )
    },
    async pay(jobId, capability) {
      if (mode === 'dev') return undefined
      const { signer, maxPrice, maxJobs = DEFAULT_MAX_JOBS, network } = context.payer()
      const asked = await context.terms(capability)
      if (network !== undefined && asked.network.id !== network) {
        throw new NotApplicable('payer', `it is paid on ${asked.network.id}, the payer pays on ${network}`)
      }
      if (BigInt(asked.requirement.amount) > maxPrice)
        throw new NotApplicable('budget', 'the job costs more than the payer allows')
      if (paidJobs >= maxJobs) throw new NotApplicable('budget', `the payer allows ${maxJobs} paid jobs`)
      paidJobs += 1
      return await signedHeader(context, { signer, terms: asked, jobId })
    },
    delivered: once(() => deliver(context)),
  }
  return context
}

async function deliver(context: CheckContext): Promise<DeliveredJob> {
  const { first, sampleOf } = await context.agent()
  const jobId = randomUUID()
  const input = sampleOf(first)
  const payment = await context.pay(jobId)
  const reply = await postJob(context, await context.jobBody({ jobId, input }), payment)
  // A sample is valid, but need not mean anything: a URL that leads nowhere, a city that is none.
  const refused = [400, 402, 408, 500, 503].includes(reply.status) && !context.known.fixture
  if (refused)
    throw new NotApplicable(
      'agent',
      `${first} delivers nothing for a sample input: ${reply.text.slice(0, 120)}`,
    )
  expectCompleted(reply)
  return { jobId, capability: first, input, payment, reply }
}

function once<T>(make: () => T | Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined
  return () => (made ??= Promise.resolve(make()))
}
