import { z } from 'zod'

/** The reasons for which an agent can be reported. */
export const reportReasons = [
  'malware',
  'fraud',
  'impersonation',
  'illegal',
  'spam',
  'does-not-deliver',
  'other',
] as const

const MAX_REPORT_CHARACTERS = 1_000
const MAX_REASON_CHARACTERS = 500

/** A text that people write: printable characters and line breaks. */
const words = (max: number) =>
  z
    .string()
    .trim()
    .max(max)
    .regex(
      /^[^\p{Cc}\p{Cs}\p{Bidi_Control}]*(?:\r?\n[^\p{Cc}\p{Cs}\p{Bidi_Control}]*)*$/u,
      'has control characters',
    )

/** `POST /v1/agents/:agentId/reports` */
export const reportRequest = z
  .strictObject({
    reason: z.enum(reportReasons),
    text: words(MAX_REPORT_CHARACTERS)
      .default('')
      .describe('A description, up to 1,000 characters; only the operator reads it'),
  })
  .describe('A report about an agent')

/** The answer to a report. It is the same for a first report and for one that replaces an earlier report. */
export const reportReceived = z.strictObject({ status: z.literal('received') })

/** One report in the form that the operator reads. */
export const report = z.strictObject({
  report_id: z.uuid(),
  agent_id: z.number().int().positive(),
  agent_name: z.string(),
  agent_standing: z.string(),
  reason: z.enum(reportReasons),
  text: z.string(),
  reporter: z
    .string()
    .describe(
      '"owner 0x…" for a signed-in reporter, else a hash that is the same for the same internet address',
    ),
  reported_at: z.number().int().describe('Unix seconds'),
})

/**
 * `GET /v1/operator/reports`
 *
 * @example
 * ```ts
 * import { reports } from '@farebox/platform-api/operator'
 *
 * const answer = await fetch('https://platform.example/v1/operator/reports', {
 *   headers: { authorization: `Bearer ${process.env['PLATFORM_OPERATOR_TOKEN']}` },
 * })
 * for (const { agent_name, reason, text } of reports.parse(await answer.json()).reports)
 *   console.log(`${agent_name}: ${reason}. ${text}`)
 * ```
 */
export const reports = z.strictObject({
  reports: z.array(report),
  next_cursor: z.string().nullable().describe('Pass it as ?cursor= for the older ones'),
})

/** `POST /v1/operator/agents/:agentId/take-down` */
export const takeDownRequest = z.strictObject({
  reason: words(MAX_REASON_CHARACTERS).min(1).describe('A public sentence: the agent’s page shows it'),
})

/** `GET /v1/operator/runs`: the storage used by runs without any payment, the largest first. */
export const unpaidRuns = z.strictObject({
  runs: z.array(
    z.strictObject({
      run_id: z.uuid(),
      started_from: z.string().describe('A salted hash of an address, which shows repeated reports from it'),
      payer: z.string().nullable(),
      status: z.string(),
      characters: z.number().int().describe('Its flow, its input and its values'),
      created_at: z.number(),
    }),
  ),
})

/** `POST /v1/operator/receipt-keys/rotate` and `POST /v1/operator/receipt-keys/:keyId/revoke` */
export const receiptKeyAfter = z.strictObject({
  key_id: z.string().describe('Of the key that signs from now on; see /.well-known/jwks.json'),
})

/** The listing status of an agent after the operator changed it. */
export const standingAfter = z.strictObject({
  agent_id: z.number().int().positive(),
  standing: z
    .enum(['taken-down', 'waiting'])
    .describe('A restored agent is inspected again before it is listed'),
  standing_reason: z.string().nullable(),
})
