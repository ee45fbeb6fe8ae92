import { fromHex } from '@farebox/payments/internal/crypto/bytes'
import { bindNonce, NONCE_EXTENSION } from '@farebox/payments/authorization/nonce-binding'
import { MAX_AUTHORIZATION_SECONDS } from '@farebox/protocol/limits'
import { NEEDS, type Check } from '../../check/check.ts'
import { postJob, type CheckContext } from '../../check/context.ts'
import { expectFailure } from '../../exchange/expectations.ts'
import { forgeHeader, sendAuthorization, signedHeader, type Forgery } from '../../check/forge-payment.ts'
import { acceptanceCheck, expectRefused, expectPaymentTaken, refusalCheck } from './judge-payment.ts'

const SALT = '0x000102030405060708090a0b0c0d0e0f'
const TIMES = 'Compare validAfter and validBefore with the clock, leaving 10 s to settle and at most 24 h.'

/** The time and the job for which a payment is valid (D5, D13). */
export const PAYMENT_WINDOW_CHECKS: readonly Check[] = [
  refusalCheck('expired', ['D5', 'PAY-26'], 'An expired authorization is refused', TIMES, endsIn(-5)),
  refusalCheck(
    'ends too soon',
    ['D5', 'PAY-26'],
    'An authorization that ends within 10 s is refused',
    TIMES,
    endsIn(8),
  ),
  refusalCheck(
    'ends too late',
    ['D5', 'PAY-26'],
    'An authorization for more than a day is refused',
    TIMES,
    endsIn(MAX_AUTHORIZATION_SECONDS + 60),
  ),
  refusalCheck(
    'begins later',
    ['D5', 'PAY-26'],
    'An authorization that is not good yet is refused',
    TIMES,
    context => ({ sign: { validAfter: String(Math.ceil(context.nowSeconds()) + 30) } }),
  ),
  refusalCheck('ends beyond 2^47', ['D4'], 'Times of 2^47 and more are refused', TIMES, {
    sign: { validBefore: (2n ** 47n).toString() },
  }),
  refusalCheck(
    'nonce of 31 bytes',
    ['D4'],
    'A nonce that is not 32 bytes is refused',
    'Take an authorization.nonce of 0x and 64 hex digits alone.',
    { envelope: sendAuthorization({ nonce: `0x${'00'.repeat(31)}` }) },
  ),
  refusalCheck(
    'nonce without 0x',
    ['D4'],
    'A nonce without 0x is refused',
    'Take an authorization.nonce of 0x and 64 hex digits alone.',
    {
      envelope: sendAuthorization({ nonce: '00'.repeat(32) }),
    },
  ),
  refusalCheck(
    'nonce missing',
    ['D4'],
    'A payment without a nonce is refused',
    'Take an authorization.nonce of 0x and 64 hex digits alone.',
    {
      envelope: sendAuthorization({ nonce: undefined }),
    },
  ),
  refusalCheck(
    'bound without salt',
    ['D13'],
    'A bound nonce without its salt is refused',
    'Where a nonce begins with the magic of a bound one, ask for its salt in the extensions.',
    boundTo({}),
  ),
  refusalCheck(
    'bound with a wrong salt',
    ['D13'],
    'A bound nonce with another salt is refused',
    'Work the nonce out again from endpoint, capability, job_id and salt, and compare.',
    boundTo({ salt: '0xff0102030405060708090a0b0c0d0e0f' }),
  ),
  refusalCheck(
    'bound with no salt at all',
    ['D13', 'D4'],
    'A salt that is not 16 bytes is refused',
    'Take a salt of 0x and 32 hex digits alone.',
    boundTo({ salt: '0x00' }),
  ),
  {
    id: 'payment-refusals/bound to another job',
    rules: ['D13'],
    title: 'A bound nonce is good for its own job alone',
    fix: 'Compare the nonce with endpoint, capability, job_id and salt.',
    needs: NEEDS.looksAtPayments,
    async run(context) {
      const body = await context.jobBody({ deadline: 1 })
      const own = {
        signer: await context.stranger(),
        terms: await context.terms(),
        jobId: String(body['job_id']),
      }
      expectFailure(await postJob(context, body, await signedHeader(context, own)), 408, 'deadline')
      await expectRefused(context, await signedHeader(context, own))
    },
  },
  acceptanceCheck('ends in time', ['D5'], 'An authorization that ends in 20 s is taken', TIMES, endsIn(20)),
  acceptanceCheck(
    'ends within a day',
    ['D5'],
    'An authorization that ends within a day is taken',
    TIMES,
    endsIn(MAX_AUTHORIZATION_SECONDS - 60),
  ),
  {
    id: 'payment-headers/bound nonce',
    rules: ['D13'],
    title: 'A payment that is not bound to a job is taken too',
    fix: 'Check the binding only where the nonce begins with the magic.',
    needs: NEEDS.looksAtPayments,
    run: async context => expectPaymentTaken(context, await forgeHeader(context)),
  },
]

/** A payment that expires the given number of seconds from now. */
export function endsIn(seconds: number): (context: CheckContext) => Promise<Forgery> {
  return context =>
    Promise.resolve({ sign: { validBefore: String(Math.floor(context.nowSeconds()) + seconds) } })
}

/** A payment whose nonce is bound to another job, with this salt in its extensions. */
function boundTo(extension: { readonly salt?: string }): (context: CheckContext) => Promise<Forgery> {
  return async context => {
    const { endpoint, capability } = await context.terms()
    const binding = { endpoint, capability, jobId: '3f8a2c1e-9b4d-4f6a-8c2b-1d5e7f9a0b3c' }
    const nonce = bindNonce(await context.crypto(), binding, fromHex(SALT))
    const extensions = extension.salt === undefined ? {} : { [NONCE_EXTENSION]: { salt: extension.salt } }
    return { sign: { nonce }, envelope: envelope => ({ ...envelope, extensions }) }
  }
}
