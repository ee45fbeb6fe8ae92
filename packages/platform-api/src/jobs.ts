import { z } from 'zod'

const address = z
  .string()
  .regex(/^0x[0-9a-f]{40}$/)
  .describe('Lower-case address')
const unixSeconds = z.number().nonnegative().describe('Unix seconds')
const decimalUsdc = z.string().describe('Decimal USDC')
const atomicUsdc = z
  .string()
  .regex(/^[1-9]\d*$/)
  .describe('Atomic units of USDC, exactly')
const jsonObject = z.record(z.string(), z.unknown())

/** D16: a canonical UUID v4, in either case. */
export const jobId = z
  .string()
  .regex(
    /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i,
    'must be a canonical UUID v4, like "3f8a2c1e-9b4d-4f6a-8c2b-1d5e7f9a0b3c"',
  )
  .describe('UUID v4, made by the caller')

const agentId = z.int().positive().describe("The agent's number at the registry")
const capability = z.string().min(1).max(256).describe('A key of the capabilities of its declaration')

/** The body of `POST /v1/quotes`. */
export const quoteRequest = z
  .strictObject({ agent_id: agentId, capability })
  .describe('Requests the price of a job, before a payment is signed')

/**
 * The answer of `POST /v1/quotes`.
 *
 * @example
 * ```ts
 * import { quote, type QuoteAnswer } from '@farebox/platform-api/jobs'
 *
 * export async function askPrice(agentId: number, capability: string): Promise<QuoteAnswer> {
 *   const answer = await fetch('https://platform.example/v1/quotes', {
 *     method: 'POST',
 *     headers: { 'content-type': 'application/json' },
 *     body: JSON.stringify({ agent_id: agentId, capability }),
 *   })
 *   return quote.parse(await answer.json())
 * }
 * ```
 */
export const quote = z
  .strictObject({
    agent_id: agentId,
    capability,
    amount: decimalUsdc,
    amount_atomic: atomicUsdc,
    pay_to: address.describe("The agent's wallet, as registered and proven"),
    network: z.string().describe('CAIP-2 id of the chain of the payment'),
    asset: address.describe('USDC on that chain'),
    asset_domain: z
      .strictObject({ name: z.string(), version: z.string() })
      .describe('EIP-712 domain of the asset; chain id and contract are those of `network` and `asset`'),
    payment_requirement: z
      .strictObject({
        scheme: z.literal('exact'),
        network: z.string(),
        asset: z.string(),
        amount: z.string(),
        payTo: z.string(),
        maxTimeoutSeconds: z.number(),
        extra: z.strictObject({ name: z.string(), version: z.string() }),
      })
      .describe('The x402 v2 requirement, spelled as the agent spells it: the `accepted` of a payment'),
    max_timeout_seconds: z.number().positive().describe('How long from now an authorization should be valid'),
    max_deadline_seconds: z.number().positive().describe('The maximum duration of the job'),
    price_changed: z
      .strictObject({ from: decimalUsdc, to: decimalUsdc, since: unixSeconds })
      .nullable()
      .describe('The price rose in the last seven days; null: it did not'),
    input_schema: jsonObject.describe('The input fields, in the field language of the declaration'),
    endpoint: z
      .string()
      .describe('The URL of the POST request; the nonce of a payment may be bound to it (D13)'),
  })
  .describe('The current price of a job: the answer of the agent, compared with its registration')

/** The type that {@link quote} parses to. */
export type QuoteAnswer = z.infer<typeof quote>

/** The body of `POST /v1/jobs`. */
export const jobOrder = z
  .strictObject({
    agent_id: agentId,
    capability,
    job_id: jobId,
    input: jsonObject.describe('The input of the capability; at most 1 MiB with the rest of the request'),
    deadline: z
      .number()
      .positive()
      .describe('Unix seconds; values beyond the maximum duration count as the maximum'),
    payment: z
      .string()
      .min(1)
      .max(12_000)
      .describe('The value of PAYMENT-SIGNATURE, signed by the wallet that pays'),
  })
  .describe('Orders a job. The same order again, with the same job_id, is the same job')

/** The type that {@link jobOrder} parses to. */
export type JobOrder = z.infer<typeof jobOrder>

/** The query of `POST /v1/jobs`. */
export const jobOrderQuery = z.object({
  wait: z
    .enum(['true', 'false'])
    .optional()
    .describe('false: answer at once; default: wait for the outcome, at most two minutes'),
})

/** The headers of `POST /v1/jobs` and `POST /v1/runs`. */
export const orderHeaders = z.object({
  // No limit: a header that is not valid is not refused, it begins a trace of its own.
  traceparent: z
    .string()
    .optional()
    .describe(
      'W3C Trace Context, version 00: its trace is in the log lines of the job here, at its agent and at ' +
        'the facilitator',
    ),
})

/** The headers of the routes under `/v1/jobs/:jobId`. Tokens are not in the URL, which other parties store and log. */
export const jobHeaders = z.object({
  'job-token': z
    .string()
    .max(128)
    .optional()
    .describe(
      'As returned by `POST /v1/jobs`; to delete, the one of its first answer; not needed by a signed-in ' +
        'payer',
    ),
  'run-token': z
    .string()
    .max(128)
    .optional()
    .describe('The token of the run that ordered the job: opens it for reading'),
})

/** The headers of `GET /v1/jobs/:jobId/events`. */
export const jobEventHeaders = z.object({
  ...jobHeaders.shape,
  'last-event-id': z
    .string()
    .max(64)
    .optional()
    .describe('The id of the newest received event: it is not repeated'),
})

/** The path of the routes under `/v1/jobs/:jobId`. */
export const jobPath = z.object({ jobId })

/** The state of a job. */
export const jobStatus = z
  .enum(['sent', 'pending', 'completed', 'failed', 'expired'])
  .describe(
    'sent: no answer yet; pending: money may still move; completed: paid for, as the chain proves; ' +
      'failed: the agent reported a failure; expired: no answer in time, which a later proof turns into ' +
      'completed, or no paid answer',
  )

/** Whether a job's payer was charged. */
export const jobCharged = z
  .boolean()
  .nullable()
  .describe(
    'true: the chain proves it; false: the agent failed the job, or the payment can never be used; null: not known yet',
  )

/** The outcome of a payment. */
export const paymentStatus = z
  .enum(['open', 'paid', 'unpaid'])
  .describe(
    'open: not used so far, and still usable; paid: the transfer is proven on the chain; unpaid: it can ' +
      'never be used',
  )

/** Whether a job can be sent again with the payment that it was ordered with. */
export const jobRetryState = z
  .strictObject({
    possible: z.boolean(),
    until: unixSeconds.nullable().describe('The last moment to order it again; null if it is not possible'),
    reason: z.string().nullable().describe('The reason why it is not possible, in one sentence'),
  })
  .describe('By `POST /v1/jobs/:jobId/retry`, with the payment of the order')

/** The body of `POST /v1/jobs/:jobId/retry`. */
export const jobRetry = z
  .strictObject({
    payment: jobOrder.shape.payment.describe('The same PAYMENT-SIGNATURE as in the order'),
    input: jsonObject.optional().describe('Another input, if the first was refused; default: the same'),
    deadline: jobOrder.shape.deadline
      .optional()
      .describe('Unix seconds; default: as late as the agent and the payment allow'),
  })
  .describe('Sends a job again that failed without a charge')

/** The type that {@link jobRetry} parses to. */
export type JobRetry = z.infer<typeof jobRetry>

/** The answer of `POST /v1/jobs`, `GET /v1/jobs/:jobId` and `POST /v1/jobs/:jobId/retry`. */
export const job = z
  .strictObject({
    job_id: z.string(),
    agent_id: agentId,
    agent_name: z.string().describe('The current name of the agent'),
    capability,
    status: jobStatus,
    payer: address,
    amount: decimalUsdc,
    amount_atomic: atomicUsdc,
    created_at: unixSeconds,
    expires_at: unixSeconds.describe('The deadline of the agent'),
    finished_at: unixSeconds.nullable().describe('The time of completion or failure; null: neither yet'),
    elapsed_ms: z
      .int()
      .nonnegative()
      .nullable()
      .describe('From the request to the agent’s answer; null: it has not answered'),
    charged: jobCharged,
    payment: z.strictObject({
      status: paymentStatus,
      transaction: z.string().nullable().describe('The proven transfer; null if there is none'),
      block_number: z.int().nonnegative().nullable().describe('The block of the transfer; null: not proven'),
      pay_to: address.describe('The payee'),
      valid_before: unixSeconds.describe('When the authorization expires'),
      usable_until: unixSeconds.describe(
        'When it is certain that the expired authorization was never used: its expiry, and the time in which the chain may still reorganise',
      ),
    }),
    input: jsonObject.nullable().describe('The input as ordered; null: it was deleted'),
    output: jsonObject.nullable().describe('The output of the agent; null: none so far, or it was deleted'),
    output_problem: z
      .string()
      .nullable()
      .describe('How the output violates its own schema: "<field>: <reason>"'),
    completed_at: unixSeconds.nullable().describe('The completion time, as the agent reports it'),
    error_type: z
      .string()
      .nullable()
      .describe('After a failure: validation, capability, payment, deadline or internal'),
    error: z.string().nullable().describe('After a failure: the reason, in the words of the agent'),
    charged_without_delivery: z
      .boolean()
      .describe('Money moved without a usable output; it counts against the agent'),
    retry: jobRetryState,
    contents_deleted: z.boolean().describe('Input and output have been deleted; the receipt is kept'),
    receipt: z
      .string()
      .nullable()
      .describe('The signed receipt; null: not completed, or the transfer is not proven'),
    job_token: z
      .string()
      .optional()
      .describe(
        'Opens this job; stored here as a hash. The token of the first answer can also delete the contents: ' +
          'keep it. Tokens from repeated orders can only read, because the agent, which received the same ' +
          'payment, could repeat the order too',
      ),
  })
  .describe('A job that the platform sent for a caller')

/** The type that {@link job} parses to. */
export type JobAnswer = z.infer<typeof job>

/** The answer of `GET /v1/jobs/:jobId/receipt`. */
export const receiptAnswer = z
  .strictObject({ receipt: z.string().describe('A compact JWS; its keys are at /.well-known/jwks.json') })
  .describe('The signed statement about a completed and paid job')

/** The type that {@link receiptAnswer} parses to. */
export type ReceiptAnswer = z.infer<typeof receiptAnswer>
