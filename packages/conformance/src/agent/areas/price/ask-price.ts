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

/** An entry of `accepts`, its keys not checked. */
export type AcceptedEntry = { readonly [key: string]: unknown }

/** Many checks meet it; what they are about has nothing to do with it. */
const NO_STORE_FIX = 'Send Cache-Control: no-store with every answer of /execute, refusals included.'

/** A check of the 402 that asks for a payment; it sends none. */
export function priceCheck(
  name: string,
  rules: readonly string[],
  title: string,
  fix: string,
  run: Check['run'],
): Check {
  return { id: `payment-required/${name}`, rules, title, fix, needs: NEEDS.asksForPayment, run }
}

/** Asks for a job without paying, of the first capability where none is named. */
export async function askUnpaid(context: CheckContext, capability?: string): Promise<Reply> {
  return await postJob(context, await context.jobBody({ ...(capability !== undefined && { capability }) }))
}

/** {@link askUnpaid}, where that is answered 402. Throws `NotApplicable` where not: one check tells it. */
export async function askForPrice(context: CheckContext, capability?: string): Promise<Reply> {
  const reply = await askUnpaid(context, capability)
  if (reply.status === 402) return reply
  throw new NotApplicable('agent', NO_PRICE)
}

/** The entries of the body. Throws `NotApplicable` where there are none: one check tells it. */
export async function entriesOf(
  context: CheckContext,
  capability?: string,
): Promise<readonly AcceptedEntry[]> {
  const { json } = await askForPrice(context, capability)
  const accepts = isObject(json) ? json['accepts'] : undefined
  if (Array.isArray(accepts) && accepts.every(isObject)) return accepts
  throw new NotApplicable('agent', 'the 402 has no accepts')
}

/** Throws a `Mismatch` unless the answer is the bare 402 for this capability. */
export async function expectPrice(context: CheckContext, reply: Reply, capability: string): Promise<void> {
  expectStatus(reply, 402)
  const { accepts } = expectKeys(reply.json, ['x402Version', 'accepts'], 'the body')
  const [entry] = readEntries(accepts)
  expectEqual(expectObject(entry?.['extra'], 'extra')['description'], capability, 'the capability priced')
  expectThat((await context.agent()).names.includes(capability), 'a declared capability', capability)
}

/** Throws a `Mismatch` unless the answer forbids caches to keep it (PAY-36). */
export function expectNoStore(reply: Reply): void {
  const control = reply.headers.get('cache-control') ?? undefined
  if (control?.includes('no-store') === true) return
  throw new Mismatch('Cache-Control: no-store', show(control), NO_STORE_FIX)
}

/** The `PAYMENT-REQUIRED` header as an object. Throws a `Mismatch` where it is none. */
export function expectHeader(reply: Reply): AcceptedEntry {
  const header = reply.headers.get('payment-required')
  const required = header === null ? undefined : decodeHeader(header)
  expectThat(isObject(required), 'a PAYMENT-REQUIRED header of base64 JSON', header ?? undefined)
  return required
}

/** The same for a check of what is in it. Throws `NotApplicable` where it is none: one check tells it. */
export function readHeader(reply: Reply): AcceptedEntry {
  const required = decodeHeader(reply.headers.get('payment-required') ?? '')
  if (isObject(required)) return required
  throw new NotApplicable('agent', 'the 402 has no PAYMENT-REQUIRED header that can be read')
}

/** The value as entries. Throws a `Mismatch` where it is none. */
export function readEntries(accepts: unknown): readonly AcceptedEntry[] {
  expectThat(Array.isArray(accepts) && accepts.every(isObject), 'accepts to be an array of objects', accepts)
  return accepts
}
