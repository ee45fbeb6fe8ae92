import { canParseUrl } from '@farebox/protocol/internal/can-parse-url'
import { CompactSign, compactVerify, createLocalJWKSet, decodeProtectedHeader, errors, importJWK } from 'jose'
import { z } from 'zod'
import { canonicalJson } from './digest/canonical-json.ts'
import { keySet, type KeySet, type SigningKey } from './receipt-keys.ts'
import { sha256Hex } from './digest/sha256.ts'

const hash = z.string().regex(/^[0-9a-f]{64}$/)
const address = z.string().regex(/^0x[0-9a-f]{40}$/)
const unixSeconds = z.number().nonnegative()

/** The statement of a receipt: the platform sent this job, the agent returned this output, and this transfer paid for it. */
export const receipt = z
  .strictObject({
    v: z.literal(1).describe('Version of this statement'),
    iss: z.string().min(1).describe("The platform's public URL"),
    job: hash.describe(
      'SHA-256 of the job_id in lower case: the receipt can be shown without revealing the job',
    ),
    agent_id: z.int().positive(),
    endpoint: z.string().min(1).describe('Base URL of the called agent'),
    capability: z.string().min(1),
    input: hash.describe('SHA-256 of the input as RFC 8785 (canonical JSON)'),
    output: hash.describe('SHA-256 of the output as RFC 8785'),
    amount: z.string().describe('Decimal USDC'),
    amount_atomic: z.string().regex(/^[1-9]\d*$/),
    asset: address.describe('The token contract'),
    network: z.string().regex(/^eip155:\d+$/),
    payer: address,
    pay_to: address,
    transaction: z
      .string()
      .regex(/^0x[0-9a-f]{64}$/)
      .describe('The transaction of the transfer, as proven on the chain'),
    completed_at: unixSeconds.describe('The completion time, as the agent reports it; Unix seconds'),
    iat: z.int().positive().describe('When this was signed; Unix seconds'),
  })
  .describe('A job that the platform ran: payer, payee, purpose and transfer. Signed with the platform’s key')

/** The type that {@link receipt} parses to. */
export type Receipt = z.infer<typeof receipt>

type Revocation = NonNullable<KeySet['keys'][number]['revoked']>

/** The verdict on a receipt. */
export type ReceiptVerdict =
  | { readonly ok: true; readonly receipt: Receipt; readonly keyId: string }
  /** The receipt proves nothing; `reason` says why, in one sentence. */
  | { readonly ok: false; readonly reason: string }

/** The type of the signed statement. It prevents another statement signed by the same key from passing for a receipt. */
const RECEIPT_TYPE = 'farebox-receipt+jws'
const MAX_RECEIPT_CHARACTERS = 16_384

/** Signs a receipt: a compact JWS (RFC 7515) with EdDSA. Throws when the statement does not match the schema. */
export async function signReceipt(statement: Receipt, { keyId, privateJwk }: SigningKey): Promise<string> {
  const payload = new TextEncoder().encode(JSON.stringify(receipt.parse(statement)))
  return await new CompactSign(payload)
    .setProtectedHeader({ alg: 'EdDSA', typ: RECEIPT_TYPE, kid: keyId })
    .sign(await importJWK(privateJwk, 'EdDSA'))
}

/**
 * Checks a receipt against a platform's published keys, without a network: a saved `jwks.json` is enough. Never throws,
 * whatever the input.
 *
 * The receipt's `iss` must match the platform that the keys belong to, as far as that is known: the `issuer` of the key set,
 * and the parameter `issuer`.
 *
 * @param jws the receipt as it was given
 * @param keys the parsed `jwks.json`; this function validates it, so the content of a file can be passed in unchanged
 * @param issuer the URL of the platform that the keys were requested from, if any
 * @example
 * ```ts
 * import { readFile } from 'node:fs/promises'
 * import { verifyReceipt } from '@farebox/platform-api/receipt'
 *
 * const receipt = (await readFile('receipt.jws', 'utf8')).trim()
 * const verdict = await verifyReceipt(receipt, JSON.parse(await readFile('jwks.json', 'utf8')))
 * if (verdict.ok) console.log(verdict.receipt.payer, verdict.receipt.amount, verdict.receipt.transaction)
 * else console.log(verdict.reason)
 * ```
 */
export async function verifyReceipt(jws: string, keys: unknown, issuer?: string): Promise<ReceiptVerdict> {
  const known = keySet.safeParse(keys)
  if (!known.success)
    return refuse('the key set is not one: it must be {"keys": [...]} of Ed25519 keys with a "kid"')
  if (jws.length > MAX_RECEIPT_CHARACTERS) return refuse('the receipt is longer than any of ours')
  try {
    const keyId = findKeyId(jws)
    if (keyId === undefined) return refuse('it does not name the key that it is signed with (kid)')
    // Checked before the signature: a valid signature by a revoked key proves as little as an invalid one.
    const revoked = known.data.keys.find(({ kid }) => kid === keyId)?.revoked
    if (revoked !== undefined) return refuse(explainRevocation(revoked))
    const { payload, protectedHeader } = await compactVerify(jws, createLocalJWKSet(known.data), {
      algorithms: ['EdDSA'],
    })
    if (protectedHeader.typ !== RECEIPT_TYPE) return refuse('it is signed by the platform, but is no receipt')
    const statement = receipt.safeParse(parse(payload))
    if (!statement.success)
      return refuse(`its statement is not one of version 1: ${explain(statement.error)}`)
    const { iss } = statement.data
    const other = [known.data.issuer, issuer].find(
      expected => expected !== undefined && !isSameOrigin(iss, expected),
    )
    if (other !== undefined) return refuse(`it says that it is by ${iss}, and these are the keys of ${other}`)
    return { ok: true, receipt: statement.data, keyId }
  } catch (error) {
    return refuse(explainFailure(error))
  }
}

/** The id of the key that a receipt names as its signer; undefined when it names none. Throws when the text is not a JWS. */
export function findKeyId(jws: string): string | undefined {
  return decodeProtectedHeader(jws).kid
}

/** Whether a value is the output or input of a receipt; `hash` is the receipt's `output` or `input`. */
export async function matchesHash(value: unknown, hash: string): Promise<boolean> {
  return (await hashJson(value)) === hash
}

/** SHA-256 of a value as canonical JSON (RFC 8785): the form of `input` and `output` in a receipt. */
export async function hashJson(value: unknown): Promise<string> {
  return await sha256Hex(canonicalJson(value))
}

/** SHA-256 of a job_id in lower case: the form of `job` in a receipt. */
export async function hashJobId(jobId: string): Promise<string> {
  return await sha256Hex(jobId.toLowerCase())
}

/** The names of the local machine, which all denote the same platform. */
const LOOPBACK: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]'])

function isSameOrigin(one: string, other: string): boolean {
  if (!canParseUrl(one) || !canParseUrl(other)) return one === other
  const [{ protocol, hostname, port }, second] = [new URL(one), new URL(other)]
  const isSameHost = hostname === second.hostname || (LOOPBACK.has(hostname) && LOOPBACK.has(second.hostname))
  return protocol === second.protocol && isSameHost && port === second.port
}

function explainRevocation({ revoked_at }: Revocation): string {
  const date = new Date(revoked_at * 1_000)
  const since = Number.isNaN(date.getTime()) ? '' : ` on ${date.toISOString().slice(0, 10)}`
  return `the platform revoked its key${since}: ask the platform for the receipt anew`
}

function parse(payload: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(payload))
  } catch {
    return undefined
  }
}

function explain(error: z.ZodError): string {
  const [issue] = error.issues
  return issue === undefined
    ? 'it has another form'
    : `${issue.path.join('.') || 'statement'}: ${issue.message}`
}

function explainFailure(error: unknown): string {
  if (error instanceof errors.JWSSignatureVerificationFailed)
    return 'the signature does not fit what is stated'
  if (error instanceof errors.JWKSNoMatchingKey) return 'it is signed with a key that is not in the key set'
  if (error instanceof errors.JOSEAlgNotAllowed) return 'it is not signed with EdDSA'
  return 'it is not a signed receipt (compact JWS)'
}

function refuse(reason: string): ReceiptVerdict {
  return { ok: false, reason }
}
