import { NEEDS, type Check } from '../../check/check.ts'
import { postJob, type CheckContext } from '../../check/context.ts'
import { describeReply, expectFailure, expectThat } from '../../exchange/expectations.ts'
import { forgeHeader, type Forgery } from '../../check/forge-payment.ts'
import { expectNoStore } from '../price/ask-price.ts'
import type { Reply } from '../../exchange/send-request.ts'

/**
 * A deadline in the past. A job with it is refused right after the local checks of its payment, before the agent asks the
 * facilitator (D14).
 */
const PAST = 1

/**
 * Sends a payment for a job whose deadline has passed. If the local checks refuse the payment, the response is 402; if they
 * accept it, 408. This distinguishes both cases without a wallet, and no job can run or be charged.
 */
async function judgePayment(context: CheckContext, header: string): Promise<Reply> {
  return await postJob(context, await context.jobBody({ deadline: PAST }), header)
}

/** Throws a `Mismatch` unless the local checks refuse the payment. Returns the message. */
export async function expectRefused(
  context: CheckContext,
  header: string,
  message?: RegExp,
): Promise<string> {
  const reply = await judgePayment(context, header)
  expectNoStore(reply)
  return expectFailure(reply, 402, 'payment', message)
}

/** Throws a `Mismatch` unless the payment passes the local checks. */
export async function expectPaymentTaken(context: CheckContext, header: string): Promise<void> {
  const reply = await judgePayment(context, header)
  expectThat(reply.status === 408, '408: the payment taken, the deadline past', describeReply(reply))
}

/** A check that a forged payment is refused. */
export function refusalCheck(
  name: string,
  rules: readonly string[],
  title: string,
  fix: string,
  forge: Forgery | ((context: CheckContext) => Promise<Forgery> | Forgery),
  message?: RegExp,
): Check {
  return {
    id: `payment-refusals/${name}`,
    rules,
    title,
    fix,
    needs: NEEDS.looksAtPayments,
    async run(context) {
      const forgery = typeof forge === 'function' ? await forge(context) : forge
      await expectRefused(context, await forgeHeader(context, forgery), message)
    },
  }
}

/** A check that an unusual but valid payment passes the local checks. */
export function acceptanceCheck(
  name: string,
  rules: readonly string[],
  title: string,
  fix: string,
  forge: Forgery | ((context: CheckContext) => Promise<Forgery> | Forgery),
): Check {
  return {
    id: `payment-headers/${name}`,
    rules,
    title,
    fix,
    needs: NEEDS.looksAtPayments,
    async run(context) {
      await expectPaymentTaken(
        context,
        await forgeHeader(context, typeof forge === 'function' ? await forge(context) : forge),
      )
    },
  }
}
