import type { Fetch } from '@farebox/client/exchange/client-options'
import { execute } from '@farebox/client/execute'
import type { PaymentSigner } from '@farebox/payments/x402/sign-payment'
import { isServiceError } from '@farebox/protocol/errors/service-errors'
import { readWebStream } from '@farebox/protocol/internal/body/read-web-stream'
import { MAX_RESPONSE_BYTES } from '@farebox/protocol/limits'
import { formatUsdc } from '@farebox/protocol/money/usdc'
import type { DevAnswer, DevJob, DevStep, Settled } from '@farebox/web/internal/dev-page/wire'
import type { PaidPath } from '../paid/paid-path.ts'
import { pageLine } from './plain-text.ts'
import type { PageAgent } from './served-agent.ts'
import type { JobEvent } from '../messages/messages.ts'
import { readJobStep } from '../paid/read-job-step.ts'

export interface RunContext {
  readonly agent: PageAgent
  /** The payer; `undefined` when payments are off. */
  readonly paid: Pick<PaidPath, 'signer' | 'readSettled'> | undefined
  readonly signal: AbortSignal
  readonly nowMs: () => number
  readonly onStep: (step: DevStep) => void
}

interface Seen {
  status: number | null
  body: string
  sinceMs: number | undefined
  untilMs: number
}

/**
 * Runs a job on the agent over HTTP as any caller would, and pays when payments are on. The agent's response is kept
 * unchanged: the client's interpretation is used only for the payment. Never rejects.
 */
export async function runPageJob(
  { job_id, capability, input }: DevJob,
  context: RunContext,
): Promise<Omit<DevAnswer, 'steps'>> {
  const { agent, paid, signal, nowMs } = context
  const seen: Seen = { status: null, body: '', sinceMs: undefined, untilMs: nowMs() }
  const end = (trouble: string | null, settled: Settled | null): Omit<DevAnswer, 'steps'> => {
    const { status, body, untilMs, sinceMs = untilMs } = seen
    return { job_id, status, body, ms: untilMs - sinceMs, trouble, settled }
  }
  try {
    const { declaration, served } = agent
    const { payment } = await execute({ url: served.url, declaration }, capability, input, {
      jobId: job_id,
      fetch: watchAnswers(seen, context),
      // The developer chose the address of the agent, so every address is allowed.
      allowHttp: true,
      signal,
      ...(paid !== undefined && { signer: timeSignature(paid.signer, context) }),
      ...(paid !== undefined && { maxPrice: declaration.capabilities[capability]?.pricing.amount ?? '0' }),
    })
    if (payment === undefined || paid === undefined) return end(null, null)
    const { transaction, amountAtomic, payer, payTo } = payment
    const chain = await readChain(paid, transaction)
    const moved = { amount: formatUsdc(amountAtomic), payer, pay_to: payTo, ...chain }
    return end(payment.receiptProblem ?? null, { ...moved, transaction: transaction ?? null })
  } catch (error) {
    return end(describeTrouble(error), null)
  }
}

/**
 * Reads the settlement from the chain; returns nothing when the chain cannot be read, because the money has moved in any
 * case.
 */
async function readChain(
  { signer, readSettled }: Pick<PaidPath, 'signer' | 'readSettled'>,
  transaction: string | undefined,
): Promise<Pick<Settled, 'block_number' | 'balances'>> {
  try {
    if (transaction === undefined) return { block_number: null, balances: null }
    const { blockNumber, payerAtomic, agentAtomic } = await readSettled(transaction, signer.address)
    return {
      block_number: blockNumber === undefined ? null : Number(blockNumber),
      balances: {
        payer: formatUsdc(payerAtomic, { decimals: 6 }),
        agent: formatUsdc(agentAtomic, { decimals: 6 }),
      },
    }
  } catch {
    return { block_number: null, balances: null }
  }
}

function watchAnswers(seen: Seen, { nowMs, onStep }: RunContext): Fetch {
  return async (url, init) => {
    const sinceMs = nowMs()
    seen.sinceMs ??= sinceMs
    seen.status = null
    seen.body = ''
    const response = await fetch(url, init)
    const bytes = await readWebStream(response.body, MAX_RESPONSE_BYTES)
    seen.status = response.status
    seen.untilMs = nowMs()
    if (typeof bytes === 'string') throw new Error(`the agent's answer is ${bytes}`)
    seen.body = new TextDecoder().decode(bytes)
    const isPaid = new Headers(init.headers).has('payment-signature')
    if (response.status === 402 && !isPaid)
      onStep({ kind: 'asked', ms: nowMs() - sinceMs, amount: readAmount(seen.body) })
    const { status, statusText, headers } = response
    return new Response(bytes.slice(), { status, statusText, headers })
  }
}

/** Reads the decimal USDC amount that the 402 response asks for; null when it is not in our format. */
function readAmount(body: string): string | null {
  const atomic = /"maxAmountRequired":"(\d{1,30})"/.exec(body)?.[1]
  return atomic === undefined ? null : formatUsdc(BigInt(atomic))
}

function timeSignature(signer: PaymentSigner, { nowMs, onStep }: RunContext): PaymentSigner {
  return {
    address: signer.address,
    async signTypedData(typedData) {
      const sinceMs = nowMs()
      const signature = await signer.signTypedData(typedData)
      onStep({ kind: 'signed', ms: nowMs() - sinceMs, payer: signer.address })
      return signature
    },
  }
}

/** Returns null when the agent's response already describes the error. */
function describeTrouble(error: unknown): string | null {
  if (isServiceError(error)) return null
  if (!(error instanceof Error)) return 'The job could not be sent.'
  const cause = error.cause instanceof Error ? `: ${error.cause.message}` : ''
  return pageLine(`${error.message}${cause}`)
}

export function createStepReader(): (event: JobEvent) => DevStep | undefined {
  let beforeMs: number | undefined
  /** The time since the previous step. */
  const lap = (atMs: number): number => {
    const ms = Math.max(0, atMs - (beforeMs ?? atMs))
    beforeMs = atMs
    return ms
  }
  return event => {
    const { atMs } = event
    if (event.event === 'input valid') return { kind: 'input-valid', ms: lap(atMs) }
    if (event.event.startsWith('output does not match output_schema: '))
      return { kind: 'warned', reason: pageLine(event.event) }
    const step = readJobStep(event)
    switch (step?.kind) {
      case undefined:
        return undefined
      case 'called':
        // The first request of a paid job only asks for the price.
        beforeMs = atMs
        return undefined
      case 'verified':
        return { kind: 'verified', ms: lap(atMs), amount: formatUsdc(step.amountAtomic) }
      case 'ran':
        lap(atMs)
        return { kind: 'ran', ms: step.tookMs }
      case 'settled':
        return { kind: 'settled', ms: lap(atMs), transaction: pageLine(step.transaction) }
      case 'refused':
      case 'failed':
      case 'pending':
        return { kind: step.kind, reason: pageLine(step.reason) }
    }
  }
}

export function isLast({ event, fields }: JobEvent): boolean {
  return event === 'completed' || (event === 'refused' && typeof fields['status'] === 'number')
}
