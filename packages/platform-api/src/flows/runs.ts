import { flowSchema } from '@farebox/flows/internal/document/flow-schema'
import { z } from 'zod'

const address = z
  .string()
  .regex(/^0x[0-9a-f]{40}$/)
  .describe('Lower-case address')
const unixSeconds = z.number().nonnegative().describe('Unix seconds')
const decimalUsdc = z.string().describe('Decimal USDC')
const jsonObject = z.record(z.string(), z.unknown())
const stepId = z.string().describe('The id of a step of the flow')

/** The most payments that one request may contain. */
export const MAX_PAYMENTS_PER_REQUEST = 500

/** The key of a job of a run: the id of its step, and for a list the index of the item. */
export const runJobKey = z
  .string()
  .regex(
    /^[A-Za-z][A-Za-z0-9_-]{0,63}(#(0|[1-9]\d{0,3}))?$/,
    'must be the id of a step, or for one item of a list the id, # and its number from 0: "summary#2"',
  )
  .describe('`summary`, or `summary#2` for the third item of a list')

/** A payment for one job of a run. */
export const runPayment = z
  .strictObject({
    key: runJobKey,
    job_id: z
      .string()
      .regex(
        /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i,
        'must be a canonical UUID v4',
      )
      .describe('UUID v4, made by the payer: the job that the payment is bound to by its nonce'),
    payment: z
      .string()
      .min(1)
      .max(12_000)
      .describe(
        'The value of PAYMENT-SIGNATURE. It is stored encrypted, and deleted once it is no longer needed',
      ),
  })
  .describe('A signed payment, valid for one job of the run')

/** The type that {@link runPayment} parses to. */
export type RunPayment = z.infer<typeof runPayment>

/**
 * The body of `POST /v1/runs`. Payments may be sent with it or later; a job that is ready and has no payment waits for
 * one.
 *
 * @example
 * ```ts
 * import { runStarted, type RunRequest, type RunStarted } from '@farebox/platform-api/flows/runs'
 *
 * export async function start(request: RunRequest): Promise<RunStarted> {
 *   const answer = await fetch('https://platform.example/v1/runs', {
 *     method: 'POST',
 *     headers: { 'content-type': 'application/json' },
 *     body: JSON.stringify(request),
 *   })
 *   return runStarted.parse(await answer.json())
 * }
 * ```
 */
export const runRequest = z
  .strictObject({
    run_id: z
      .uuid()
      .optional()
      .describe(
        'UUID, made by the caller: the same request again is the same run, another one is refused. Default: a new one',
      ),
    run_token: z
      .string()
      .regex(/^[A-Za-z0-9_-]{43,128}$/, 'must be 32 random bytes in base64url')
      .optional()
      .describe(
        'Created by the caller from 32 random bytes: it opens and controls the run, also after a lost ' +
          'answer. Stored here as a hash. Default: the first answer contains a new one',
      ),
    flow: flowSchema,
    flow_id: z.uuid().optional().describe('The saved flow, if it is one'),
    input: jsonObject.describe('Values of the inputs of the flow'),
    max_total: decimalUsdc.describe('The maximum of all payments of the run together'),
    payments: z.array(runPayment).max(MAX_PAYMENTS_PER_REQUEST).default([]),
  })
  .describe('Starts a run of a flow')

/** {@link runRequest}, as it is sent. */
export type RunRequest = z.input<typeof runRequest>

/** The body of `PUT /v1/runs/:runId/payments`. */
export const runPaymentsRequest = z.strictObject({
  payments: z.array(runPayment).min(1).max(MAX_PAYMENTS_PER_REQUEST),
  max_total: decimalUsdc
    .optional()
    .describe(
      'Raises the maximum of all payments of the run: after a price rise, or before a step is paid again. ' +
        'Default, and if it is lower: unchanged',
    ),
})

/** The body of `POST /v1/runs/:runId/retry`. */
export const runRetryRequest = z.strictObject({ key: runJobKey })

/** The body of `POST /v1/runs/:runId/answer`. */
export const runAnswerRequest = z.strictObject({
  step: stepId.describe('An approval that waits for an answer'),
  approved: z.boolean(),
})

/** The path of the routes under `/v1/runs/:runId`. */
export const runPath = z.object({ runId: z.uuid() })

/** The headers of the routes under `/v1/runs/:runId`. */
export const runHeaders = z.object({
  'run-token': z
    .string()
    .max(128)
    .optional()
    .describe('As returned by `POST /v1/runs`; not needed by a signed-in payer'),
})

/** The headers of `GET /v1/runs/:runId/events`. */
export const runEventHeaders = z.object({
  ...runHeaders.shape,
  'last-event-id': z
    .string()
    .max(64)
    .optional()
    .describe('The id of the newest received event: it is not repeated'),
})

/** The state of a run. */
export const runStatus = z
  .enum(['running', 'waiting', 'completed', 'failed', 'paused', 'cancelled'])
  .describe(
    'running: agents are at work; waiting: for a payment, a person, a time or a retry; completed: every ' +
      'step has ended; failed: a free step has failed, and no other step continues; paused, cancelled: ' +
      'nothing new is ordered',
  )

const because = z
  .discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('none') }),
    z.strictObject({ kind: z.literal('changed'), price: decimalUsdc, pay_to: address }),
    z.strictObject({ kind: z.literal('too-late') }),
    z.strictObject({ kind: z.literal('dead') }),
    z.strictObject({ kind: z.literal('charged') }),
  ])
  .describe(
    'Why a payment is requested. none: there is none; changed: the agent requests other terms than those ' +
      'signed; too-late: the existing one expires too soon; dead: the previous one can never be charged; ' +
      'charged: the previous one was charged without a delivery, so that another pays twice',
  )

/** One thing that a run waits for. */
export const runWaiting = z.discriminatedUnion('for', [
  z.strictObject({ for: z.literal('agent'), key: z.string() }),
  z.strictObject({ for: z.literal('payment'), key: z.string(), because }),
  z.strictObject({ for: z.literal('person'), step: stepId }),
  z.strictObject({ for: z.literal('time'), step: stepId, until: unixSeconds }),
  z.strictObject({
    for: z.literal('retry'),
    key: z.string(),
    until: unixSeconds.optional().describe('Until then its payment may still be charged'),
  }),
])

/** The type that {@link runWaiting} parses to. */
export type RunWaiting = z.infer<typeof runWaiting>

/** One job of a run. */
export const runJob = z.strictObject({
  key: z.string(),
  state: z
    .enum(['unpaid', 'quoting', 'sent', 'done', 'failed'])
    .describe(
      'unpaid: waits for a payment; quoting: its agent is asked for the price, nothing was sent; sent: the ' +
        'order with its payment was sent, or may have been; done; failed',
    ),
  attempt: z.int().nonnegative().describe('0: nothing was sent'),
  input: jsonObject.nullable().describe('The input of the order, current or future'),
  because: because.nullable(),
  error_type: z.string().nullable(),
  error: z
    .string()
    .nullable()
    .describe('After a failure: the reason, in the words of the agent or of the platform'),
  payment: z
    .strictObject({
      job_id: z.string(),
      amount: decimalUsdc,
      pay_to: address,
      valid_before: unixSeconds,
      state: z
        .enum(['ready', 'sent', 'paid', 'dead', 'wiped'])
        .describe(
          'ready: stored, not sent; sent: may be charged; paid: the chain shows the charge; dead: it can never ' +
            'be charged; wiped: deleted before it was sent',
        ),
    })
    .nullable()
    .describe('Its newest payment'),
  job: z
    .strictObject({
      status: z.enum(['sent', 'pending', 'completed', 'failed', 'expired']),
      elapsed_ms: z.int().nonnegative().nullable(),
      transaction: z.string().nullable(),
      block_number: z.int().nonnegative().nullable(),
      usable_until: unixSeconds.describe(
        'From then on it is certain that an unused payment can never be used',
      ),
      charged_without_delivery: z.boolean(),
      output_problem: z.string().nullable(),
    })
    .nullable()
    .describe(
      'The status of the job of its newest payment, as in `GET /v1/jobs/:jobId`; null: not ordered yet',
    ),
})

/** The type that {@link runJob} parses to. */
export type RunJob = z.infer<typeof runJob>

/** One step of a run. */
export const runStep = z.strictObject({
  step: stepId,
  state: z
    .enum(['waiting', 'skipped', 'asking', 'sleeping', 'ordering', 'failed', 'done'])
    .describe(
      'waiting: for its inputs; skipped: its inputs will not come; asking: a person; sleeping: until a ' +
        'time; ordering: its jobs; failed: it could not be done, and nothing was sent; done',
    ),
  reason: z.string().nullable().describe('After a failure'),
  until: unixSeconds.nullable().describe('While it sleeps'),
  value: z.unknown().optional().describe('The question, if a person is asked'),
  outputs: jsonObject.nullable().describe('By port; null: it is not done'),
  jobs: z.array(runJob).describe('Of a paid step: one, or one for each item of its list, as far as known'),
})

/** The type that {@link runStep} parses to. */
export type RunStepAnswer = z.infer<typeof runStep>

const progress = {
  run_id: z.uuid(),
  status: runStatus,
  waiting: z.array(runWaiting).describe('Everything that it waits for, in the order of the steps'),
  payer: address.nullable().describe('The payer: the signer of its first payment; null: there is none yet'),
  max_total: decimalUsdc,
  paid: decimalUsdc.describe('Charged, as the chain proves'),
  exposed: decimalUsdc.describe('Sent, and neither charged nor void so far'),
  exposed_until: unixSeconds
    .nullable()
    .describe('Until then the exposed amount may be charged; null: there is none'),
  ready: decimalUsdc.describe('Signed, and not sent'),
  steps: z.array(runStep).describe('In the order in which they can run'),
  output: jsonObject.describe('The outputs of the run so far'),
  created_at: unixSeconds,
  changed_at: unixSeconds,
  ended_at: unixSeconds
    .nullable()
    .describe('When it was completed, failed, or cancelled with no payment open'),
  kept_until: unixSeconds
    .nullable()
    .describe('It is deleted then unless a payment is added before; null: it is kept for days'),
}

/** The data of an event `run` of `GET /v1/runs/:runId/events`: every field of a run that can change. */
export const runProgress = z.strictObject(progress).describe('The state of a run')

/** The type that {@link runProgress} parses to. */
export type RunProgress = z.infer<typeof runProgress>

/**
 * The answer of `GET /v1/runs/:runId` and the routes that change a run.
 *
 * @example
 * ```ts
 * import { run, type RunAnswer } from '@farebox/platform-api/flows/runs'
 *
 * export async function read(runId: string, token: string): Promise<RunAnswer> {
 *   const headers = { 'run-token': token }
 *   const answer = await fetch(`https://platform.example/v1/runs/${runId}`, { headers })
 *   return run.parse(await answer.json())
 * }
 * ```
 */
export const run = z
  .strictObject({
    ...progress,
    flow: jsonObject.describe('The flow as it was started'),
    flow_id: z.uuid().nullable().describe('The saved flow that it was started from'),
    input: jsonObject,
  })
  .describe('A run of a flow')

/** The type that {@link run} parses to. */
export type RunAnswer = z.infer<typeof run>

/** The answer of `POST /v1/runs`. */
export const runStarted = z.strictObject({
  ...run.shape,
  run_token: z
    .string()
    .optional()
    .describe(
      'Opens and controls the run; stored here as a hash. Absent if the caller created it, and if the run ' +
        'was started before',
    ),
})

/** The type that {@link runStarted} parses to. */
export type RunStarted = z.infer<typeof runStarted>

/** The query of `GET /v1/me/runs`. */
export const runsQuery = z.strictObject({
  flow_id: z.uuid().optional().describe('Only runs of this saved flow'),
  cursor: z.string().max(80).optional().describe('The `next_cursor` of the previous page'),
  limit: z.coerce.number().int().min(1).max(100).default(20).describe('The page size, 1 to 100; default 20'),
})

/** A run in a list. */
export const runLine = z.strictObject({
  run_id: z.uuid(),
  flow_id: z.uuid().nullable(),
  name: z.string().describe('Of its flow'),
  status: runStatus,
  paid: decimalUsdc,
  max_total: decimalUsdc,
  created_at: unixSeconds,
  changed_at: unixSeconds,
})

/** `GET /v1/me/runs`: the runs that the signed-in address paid for, the newest first. */
export const runsAnswer = z.strictObject({
  runs: z.array(runLine),
  next_cursor: z.string().nullable(),
})

/** The type that {@link runsAnswer} parses to. */
export type RunsAnswer = z.infer<typeof runsAnswer>
