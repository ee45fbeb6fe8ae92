import { decodeHeader } from '@farebox/payments/x402/payment-header'
import { NEEDS, type Check } from '../../check/check.ts'
import { postJob, type CheckContext } from '../../check/context.ts'
import { isObject } from '@farebox/protocol/internal/guards/json'
import {
  expectEqual,
  expectKeys,
  expectObject,
  expectStatus,
  expectThat,
  show,
} from '../../exchange/expectations.ts'
import type { Reply } from '../../exchange/send-request.ts'
import { NO_PRICE } from '../../check/terms.ts'
import { Mismatch, NotApplicable } from '../../exchange/verdicts.ts'

/** An entry of `accepts` with unchecked keys. */
export type AcceptedEntry = { readonly [key: string]: unknown }

/** Many checks find this fault, although it is unrelated to their subject. */
const NO_STORE_FIX = 'Send Cache-Control: no-store with every answer of /execute, refusals included.'

/** A check of the 402 response that asks for a payment; the check sends no payment. */
export function priceCheck(
  name: string,
  rules: readonly string[],
  title: string,
  fix: string,
  run: Check['run'],
): Check {
  return { id: `payment-required/${name}`, rules, title, fix, needs: NEEDS.asksForPayment, run }
}

/** Requests a job without a payment, by default for the first capability. */
export async function askUnpaid(context: CheckContext, capability?: string): Promise<Reply> {
  return await postJob(context, await context.jobBody({ ...(capability !== undefined && { capability }) }))
}

/** Like {@link askUnpaid}, for a 402 response. Throws `NotApplicable` for another status, because one check reports that. */
export async function askForPrice(context: CheckContext, capability?: string): Promise<Reply> {
  const reply = await askUnpaid(context, capability)
  if (reply.status === 402) return reply
  throw new NotApplicable('agent', NO_PRICE)
}

/** Returns the entries in the body. Throws `NotApplicable` when there are none, because one check reports that. */
export async function entriesOf(
  context: CheckContext,
  capability?: string,
): Promise<readonly AcceptedEntry[]> {
  const { json } = await askForPrice(context, capability)
  const accepts = isObject(json) ? json['accepts'] : undefined
  if (Array.isArray(accepts) && accepts.every(isObject)) return accepts
  throw new NotApplicable('agent', 'the 402 has no accepts')
}

/** Throws a `Mismatch` unless the response is the plain 402 for this capability. */
export async function expectPrice(context: CheckContext, reply: Reply, capability: string): Promise<void> {
  expectStatus(reply, 402)
  const { accepts } = expectKeys(reply.json, ['x402Version', 'accepts'], 'the body')
  const [entry] = readEntries(accepts)
  expectEqual(expectObject(entry?.['extra'], 'extra')['description'], capability, 'the capability priced')
  expectThat((await context.agent()).names.includes(capability), 'a declared capability', capability)
}

/** Throws a `Mismatch` unless the response forbids caches to store it (PAY-36). */
export function expectNoStore(reply: Reply): void {
  const control = reply.headers.get('cache-control') ?? undefined
  if (control?.includes('no-store') === true) return
  throw new Mismatch('Cache-Control: no-store', show(control), NO_STORE_FIX)
}

/** Decodes the `PAYMENT-REQUIRED` header to an object. Throws a `Mismatch` when it cannot be decoded. */
export function expectHeader(reply: Reply): AcceptedEntry {
  const header = reply.headers.get('payment-required')
  const required = header === null ? undefined : decodeHeader(header)
  expectThat(isObject(required), 'a PAYMENT-REQUIRED header of base64 JSON', header ?? undefined)
  return required
}

/**
 * Like {@link expectHeader}, for checks of its content. Throws `NotApplicable` when it cannot be decoded, because one check
 * reports that.
 */
export function readHeader(reply: Reply): AcceptedEntry {
  const required = decodeHeader(reply.headers.get('payment-required') ?? '')
  if (isObject(required)) return required
  throw new NotApplicable('agent', 'the 402 has no PAYMENT-REQUIRED header that can be read')
}

/** Returns the value as entries. Throws a `Mismatch` when it has another form. */
export function readEntries(accepts: unknown): readonly AcceptedEntry[] {
  expectThat(Array.isArray(accepts) && accepts.every(isObject), 'accepts to be an array of objects', accepts)
  return accepts
}
