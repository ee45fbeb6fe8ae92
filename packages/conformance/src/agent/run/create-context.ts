import { randomBytes, randomUUID } from 'node:crypto'
import { toHex } from '@farebox/payments/internal/crypto/bytes'
import { loadEvmCrypto } from '@farebox/payments/crypto/evm-crypto'
import { privateKeySigner } from '@farebox/payments/x402/sign-payment'
import { sleep, systemClock } from '@farebox/protocol/time/clock'
import { readAgentView } from '../check/agent-view.ts'
import type { AgentMode } from '../check/agent-mode.ts'
import {
  postJob,
  type CheckContext,
  type DeliveredJob,
  type JobWish,
  type KnownAgent,
  type Payer,
} from '../check/context.ts'
import { describeReply, expectCompleted } from '../exchange/expectations.ts'
import { readAgentTerms } from '../check/forge-payment.ts'
import { payForJob } from './pay-for-job.ts'
import { sendRequest, type Reply, type RequestSending } from '../exchange/send-request.ts'
import type { SpendingBook } from './spending.ts'
import type { Terms } from '../check/terms.ts'
import { NoAnswer, NotApplicable } from '../exchange/verdicts.ts'

/** Payments are valid for at least a minute (D3); one is reused for this long. */
const FRESH_SECONDS = 20

/** The time that a caller waits after `max_deadline_seconds` (D37). */
const AFTER_DEADLINE_SECONDS = 30

/** How often, and at which interval, a job whose settlement is still unknown is requested again. */
const MAX_REPEATS = 20
const MAX_RETRY_AFTER_MS = 5_000

/** Creates the context of a run. */
export function createContext(
  sending: RequestSending,
  options: {
    readonly mode: AgentMode
    readonly payer?: Payer | undefined
    readonly known?: KnownAgent | undefined
    readonly book: SpendingBook
  },
): CheckContext {
  const { mode, payer, known = {}, book } = options
  const terms = new Map<string | undefined, () => Promise<Terms>>()
  const tries: InputTries = new Map()
  const context: CheckContext = {
    baseUrl: sending.baseUrl,
    signal: sending.signal,
    mode,
    known,
    nowSeconds: () => sending.clock.nowMs() / 1_000,
    crypto: once(() => loadEvmCrypto()),
    stranger: once(async () => privateKeySigner(await context.crypto(), toHex(randomBytes(32)))),
    hasPayer: payer !== undefined,
    payer() {
      if (payer === undefined) throw new NotApplicable('payer', 'it needs a payer')
      return payer
    },
    async send(outgoing) {
      const reply = await sendRequest(sending, outgoing)
      book.noteReply(reply)
      return reply
    },
    agent: onceAnswered(() => readAgentView(outgoing => context.send(outgoing))),
    terms(capability) {
      const known = terms.get(capability) ?? onceAnswered(() => readAgentTerms(context, capability))
      terms.set(capability, known)
      return known()
    },
    jobBody: wish => makeJobBody(context, wish),
    runJob: wish => runJob(context, wish),
    tryInput: (input, capability) => tryInput(context, tries, input, capability),
    async pay(jobId, capability) {
      if (mode === 'dev') return undefined
      return await payForJob(context, book, { jobId, capability })
    },
    sampleJob: once(() => askForSample(context)),
    delivered: once(() => deliver(context)),
  }
  return context
}

async function makeJobBody(context: CheckContext, wish: JobWish = {}): Promise<{ [key: string]: unknown }> {
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
}

async function runJob(context: CheckContext, wish: JobWish = {}): Promise<Reply> {
  const jobId = wish.jobId ?? randomUUID()
  const payment = wish.payment ?? (await context.pay(jobId, wish.capability))
  const body = await context.jobBody({ ...wish, jobId })
  return await postJob(context, body, payment, await jobMs(context))
}

/** For each capability, the job in which its inputs are tried: a refused input leaves the payment unused. */
type InputTries = Map<
  string | undefined,
  { readonly jobId: string; readonly payment: string | undefined; readonly atSeconds: number }
>

async function tryInput(
  context: CheckContext,
  tries: InputTries,
  input: unknown,
  capability?: string,
): Promise<Reply> {
  const last = context.mode === 'paid' ? tries.get(capability) : undefined
  const atSeconds = context.nowSeconds()
  const fresh = last !== undefined && atSeconds - last.atSeconds < FRESH_SECONDS
  const jobId = fresh ? last.jobId : randomUUID()
  const payment = fresh ? last.payment : await context.pay(jobId, capability)
  if (!fresh) tries.set(capability, { jobId, payment, atSeconds })
  const body = await context.jobBody({ jobId, input, ...(capability !== undefined && { capability }) })
  return await postJob(context, body, payment)
}

async function askForSample(context: CheckContext): Promise<DeliveredJob> {
  const { first, sampleOf } = await context.agent()
  const jobId = randomUUID()
  const input = sampleOf(first)
  const payment = await context.pay(jobId)
  const body = await context.jobBody({ jobId, input })
  const reply = await settled(context, async () => postJob(context, body, payment, await jobMs(context)))
  return { jobId, capability: first, input, payment, reply }
}

async function deliver(context: CheckContext): Promise<DeliveredJob> {
  const job = await context.sampleJob()
  const { capability, reply } = job
  // A sample is valid against the schema but may be meaningless: an unreachable URL, an unknown city.
  if ([400, 402, 408, 500, 503].includes(reply.status) && !context.known.fixture) {
    throw new NotApplicable(
      'agent',
      `${capability} delivers nothing for a sample input: ${describeReply(reply)}`,
    )
  }
  expectCompleted(reply)
  return job
}

/** Repeats the request while a settlement may still be in progress (D8). After the last repeat, it returns that response. */
async function settled(context: CheckContext, ask: () => Promise<Reply>): Promise<Reply> {
  let reply = await ask()
  for (let again = 0; reply.status === 503 && again < MAX_REPEATS; again += 1) {
    await sleep(systemClock, retryAfterMs(reply), context.signal)
    context.signal.throwIfAborted()
    reply = await ask()
  }
  return reply
}

function retryAfterMs({ headers }: Reply): number {
  const seconds = headers.get('retry-after') ?? ''
  return /^\d{1,3}$/.test(seconds) ? Math.min(Number(seconds) * 1_000, MAX_RETRY_AFTER_MS) : 1_000
}

/** The longest time that a job may take which meets its deadline and is then settled. */
async function jobMs(context: CheckContext): Promise<number> {
  return ((await context.agent()).maxDeadlineSeconds + AFTER_DEADLINE_SECONDS) * 1_000
}

/**
 * Shares one result. A request that got no response is repeated on the next call, because it is free and the agent may be
 * faster then.
 */
function onceAnswered<T>(ask: () => Promise<T>): () => Promise<T> {
  let asked: Promise<T> | undefined
  return async () => {
    try {
      return await (asked ??= ask())
    } catch (error) {
      if (error instanceof NoAnswer) asked = undefined
      throw error
    }
  }
}

function once<T>(make: () => T | Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined
  return () => (made ??= Promise.resolve(make()))
}
