import { decodeHeader } from '@farebox/payments/payment-header'
import { NEEDS, type Check } from './check.ts'
import { postJob, type CheckContext } from './context.ts'
import { expectEqual, expectKeys, expectObject, expectStatus, expectThat, isObject } from './expectations.ts'
import type { Reply } from './send-request.ts'

/** An entry of `accepts`, its keys not checked. */
export type Entry = { readonly [key: string]: unknown }

/** A check of the 402 that asks for a payment; it sends none. */
export function priceCheck(
  name: string,
  rules: readonly string[],
  title: string,
  mend: string,
  run: Check['run'],
): Check {
  return { id: `payment-required/${name}`, rules, title, mend, needs: NEEDS.asksForPayment, run }
}

/** Asks for a job without paying. Throws a `Mismatch` unless the answer is 402. */
export async function askPrice(context: CheckContext, capability?: string): Promise<Reply> {
  const reply = await postJob(
    context,
    await context.jobBody({ ...(capability !== undefined && { capability }) }),
  )
  expectStatus(reply, 402)
  return reply
}

/** The entries of the body. */
export async function entriesOf(context: CheckContext, capability?: string): Promise<readonly Entry[]> {
  return readEntries(expectObject((await askPrice(context, capability)).json, 'the body')['accepts'])
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
  expectThat(control?.includes('no-store') === true, 'Cache-Control: no-store', control)
}

/** The `PAYMENT-REQUIRED` header as an object. Throws a `Mismatch` where it is none. */
export function readHeader(reply: Reply): Entry {
  const header = reply.headers.get('payment-required')
  const required = header === null ? undefined : decodeHeader(header)
  expectThat(isObject(required), 'a PAYMENT-REQUIRED header of base64 JSON', header ?? undefined)
  return required
}

/** The value as entries. Throws a `Mismatch` where it is none. */
export function readEntries(accepts: unknown): readonly Entry[] {
  expectThat(Array.isArray(accepts) && accepts.every(isObject), 'accepts to be an array of objects', accepts)
  return accepts
}
