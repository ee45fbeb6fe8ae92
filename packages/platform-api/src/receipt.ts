import {
  calculateJwkThumbprint,
  CompactSign,
  compactVerify,
  createLocalJWKSet,
  errors,
  exportJWK,
  generateKeyPair,
  importJWK,
  type JWK,
} from 'jose'
import { z } from 'zod'
import { canonicalJson } from './canonical-json.ts'
import { sha256Hex } from './sha256.ts'

const hash = z.string().regex(/^[0-9a-f]{64}$/)
const address = z.string().regex(/^0x[0-9a-f]{40}$/)
const unixSeconds = z.number().nonnegative()

/** What a receipt states: the platform sent this job, this came back, and this transfer paid for it. */
export const receipt = z
  .strictObject({
    v: z.literal(1).describe('Version of this statement'),
    iss: z.string().min(1).describe("The platform's public URL"),
    job: hash.describe(
      'SHA-256 of the job_id in lower case: the receipt can be shown without giving the job away',
    ),
    agent_id: z.int().positive(),
    endpoint: z.string().min(1).describe('Base URL of the agent that was asked'),
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
      .describe('Where the transfer is, as proven on the chain'),
    completed_at: unixSeconds.describe('When the agent says that it was done; Unix seconds'),
    iat: z.int().positive().describe('When this was signed; Unix seconds'),
  })
  .describe(
    "A job that the platform ran: who paid whom, for what, by which transfer. Signed with the platform's key",
  )

/** {@link receipt}, as it travels. */
export type Receipt = z.infer<typeof receipt>

/** A public key as it is published: Ed25519. */
export const publicKey = z.looseObject({
  kty: z.literal('OKP'),
  crv: z.literal('Ed25519'),
  x: z.string(),
  kid: z.string(),
})

/** What `GET /.well-known/jwks.json` answers: every key that receipts were ever signed with. */
export const keySet = z
  .looseObject({ keys: z.array(publicKey) })
  .describe('The public keys of receipts (RFC 7517); save it to check receipts without a network')

/** {@link keySet}, as it travels. */
export type KeySet = z.infer<typeof keySet>

/** A key that signs: `kid` says which public key checks it. */
export interface SigningKey {
  readonly keyId: string
  /** Ed25519, with its private part. */
  readonly privateJwk: JWK
}

/** A new key, and the form in which it is published. */
export interface MadeKey extends SigningKey {
  readonly publicJwk: KeySet['keys'][number]
}

/** What a receipt was found to be. */
export type ReceiptVerdict =
  | { readonly ok: true; readonly receipt: Receipt; readonly keyId: string }
  /** Why it proves nothing, as a sentence. */
  | { readonly ok: false; readonly reason: string }

/** Says what the signature is of, so that no other statement by the same key can pass for a receipt. */
const RECEIPT_TYPE = 'farebox-receipt+jws'
const MAX_RECEIPT_CHARACTERS = 16_384

/** Makes an Ed25519 key; its id is its thumbprint (RFC 7638). */
export async function makeSigningKey(): Promise<MadeKey> {
  const pair = await generateKeyPair('EdDSA', { crv: 'Ed25519', extractable: true })
  const published = await exportJWK(pair.publicKey)
  const keyId = await calculateJwkThumbprint(published)
  const publicJwk = publicKey.parse({ ...published, kid: keyId, alg: 'EdDSA', use: 'sig' })
  return { keyId, privateJwk: await exportJWK(pair.privateKey), publicJwk }
}

/** Signs a receipt: a compact JWS (RFC 7515) with EdDSA. Throws for a statement that is none. */
export async function signReceipt(statement: Receipt, { keyId, privateJwk }: SigningKey): Promise<string> {
  const payload = new TextEncoder().encode(JSON.stringify(receipt.parse(statement)))
  return await new CompactSign(payload)
    .setProtectedHeader({ alg: 'EdDSA', typ: RECEIPT_TYPE, kid: keyId })
    .sign(await importJWK(privateJwk, 'EdDSA'))
}

/**
 * Checks a receipt against a platform's published keys, without any network: a saved `jwks.json` will do. Whatever
 * the bytes, nothing is thrown.
 *
 * @param jws the receipt as it was given
 * @param keys the parsed `jwks.json`; checked here, so that a file's content can be handed in as it is
 */
export async function verifyReceipt(jws: string, keys: unknown): Promise<ReceiptVerdict> {
  const known = keySet.safeParse(keys)
  if (!known.success)
    return refuse('the key set is not one: it must be {"keys": [...]} of Ed25519 keys with a "kid"')
  if (jws.length > MAX_RECEIPT_CHARACTERS) return refuse('the receipt is longer than any of ours')
  try {
    const { payload, protectedHeader } = await compactVerify(jws, createLocalJWKSet(known.data), {
      algorithms: ['EdDSA'],
    })
    if (protectedHeader.typ !== RECEIPT_TYPE) return refuse('it is signed by the platform, but is no receipt')
    const statement = receipt.safeParse(parse(payload))
    if (!statement.success)
      return refuse(`its statement is not one of version 1: ${explain(statement.error)}`)
    return { ok: true, receipt: statement.data, keyId: protectedHeader.kid ?? '' }
  } catch (error) {
    return refuse(explainFailure(error))
  }
}

/** Is this the output or input that a receipt names? `hash` is the receipt's `output` or `input`. */
export async function matchesHash(value: unknown, hash: string): Promise<boolean> {
  return (await hashJson(value)) === hash
}

/** SHA-256 of a value as canonical JSON (RFC 8785): what `input` and `output` of a receipt are. */
export async function hashJson(value: unknown): Promise<string> {
  return await sha256Hex(canonicalJson(value))
}

/** SHA-256 of a job_id in lower case: what `job` of a receipt is. */
export async function hashJobId(jobId: string): Promise<string> {
  return await sha256Hex(jobId.toLowerCase())
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
