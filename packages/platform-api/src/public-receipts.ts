import { z } from 'zod'

/**
 * A paid job in its public form. It leaves out the job id, the contents, the payer, the transfer and the exact time, which
 * only the holder of the receipt knows.
 */
export const publicReceipt = z.strictObject({
  hash: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .describe('SHA-256 of the job_id in lower case, as hex'),
  agent_id: z.int().positive(),
  agent_name: z.string(),
  capability: z.string(),
  amount: z.string().describe('Decimal USDC'),
  at: z.int().nonnegative().describe('Unix seconds, cut to the minute'),
})

/** The type that {@link publicReceipt} parses to. */
export type PublicReceipt = z.infer<typeof publicReceipt>

/** The query of the lists of receipts. */
export const publicReceiptsQuery = z.strictObject({
  cursor: z.string().max(120).optional().describe('The `next_cursor` of the previous page'),
  limit: z.coerce.number().int().min(1).max(100).default(20).describe('The page size, 1 to 100; default 20'),
})

/**
 * The answer of `GET /v1/receipts` and `GET /v1/agents/:agentId/receipts`: paid jobs, the newest first.
 *
 * @example
 * ```ts
 * import { publicReceipts } from '@farebox/platform-api/public-receipts'
 *
 * const answer = await fetch('https://platform.example/v1/receipts?limit=5')
 * for (const { agent_name, capability, amount } of publicReceipts.parse(await answer.json()).receipts)
 *   console.log(`${agent_name} ${capability}: ${amount} USDC`)
 * ```
 */
export const publicReceipts = z.strictObject({
  receipts: z.array(publicReceipt),
  next_cursor: z.string().nullable().describe('For the next page; null on the last'),
})

/** The type that {@link publicReceipts} parses to. */
export type PublicReceipts = z.infer<typeof publicReceipts>

/** The path of one receipt. */
export const publicReceiptPath = z.strictObject({
  hash: z.string().regex(/^[0-9a-f]{64}$/, 'must be 64 lower-case hex digits'),
})
