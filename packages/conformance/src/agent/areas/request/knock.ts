import { randomUUID } from 'node:crypto'
import { NEEDS, type Check } from '../../check/check.ts'
import type { CheckContext } from '../../check/context.ts'
import { EMPTY_PAYMENT } from '../../check/forge-payment.ts'
import { expectFailure } from '../../exchange/expectations.ts'
import type { Outgoing, Reply } from '../../exchange/send-request.ts'

/** A capability that no agent has: a response about it shows that the rest of the body was accepted. */
const NOBODY = 'all-the-rest-was-taken'

/** A check of the body that is free in every mode, because the request never becomes a job. */
export function bodyCheck(
  name: string,
  rules: readonly string[],
  title: string,
  fix: string,
  run: Check['run'],
): Check {
  return { id: `request-shape/${name}`, rules, title, fix, needs: NEEDS.nothing, run }
}

/** Posts a body with an invalid payment header, so that every agent reads the body first (D14). */
export async function knock(
  context: CheckContext,
  request: Pick<Outgoing, 'headers' | 'body'>,
): Promise<Reply> {
  const { headers = { 'content-type': 'application/json' } } = request
  return await context.send({
    ...request,
    method: 'POST',
    path: '/execute',
    headers: { ...headers, 'payment-signature': EMPTY_PAYMENT },
  })
}

/** A valid request except for its unknown capability, so that it never becomes a job. */
export async function markedBody(
  context: CheckContext,
  input: object = {},
): Promise<{ [key: string]: unknown }> {
  return {
    service_version: '1.0',
    job_id: randomUUID(),
    task: { capability: NOBODY, input },
    deadline: context.nowSeconds() + (await context.agent()).maxDeadlineSeconds,
  }
}

/** Throws a `Mismatch` unless the body was accepted and the capability was refused. */
export function expectBodyTaken(reply: Reply): void {
  expectFailure(reply, 400, 'capability')
}
