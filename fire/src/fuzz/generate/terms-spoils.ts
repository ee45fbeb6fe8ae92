import { EXECUTE_URL } from './payment-draft.ts'
import { isEnvelope, type PaymentSpoil } from './payment-spoil.ts'

/** What can be wrong with what a payment pays, though its payer signed it. */
export function termsSpoils(): { readonly [name: string]: PaymentSpoil } {
  const agreed = (draft: NonNullable<PaymentSpoil['draft']>): PaymentSpoil => ({ check: 'terms', draft })
  const inSeconds = (seconds: readonly number[], field: 'validAfter' | 'validBefore'): PaymentSpoil =>
    agreed(({ authorization }, { random, nowSeconds }) => {
      authorization[field] = String(Math.max(0, Math.floor(nowSeconds) + random.pick(seconds)))
    })
  return {
    'accepted disagrees': {
      check: 'terms',
      draft: draft => void (draft.version = 2),
      envelope(envelope, { random }) {
        const { accepted } = envelope
        if (!isEnvelope(accepted)) return
        if (random.chance(0.5)) accepted['amount'] = '1'
        else accepted['payTo'] = `0x${'11'.repeat(20)}`
      },
    },
    'pays another wallet': agreed(({ authorization }) => void (authorization.to = `0x${'11'.repeat(20)}`)),
    'pays another amount': agreed(({ authorization }, { random }) => {
      const more = BigInt(random.pick(['-1', '1', '10000000', '-10000', String(2n ** 200n)]))
      const value = BigInt(authorization.value) + more
      authorization.value = String(value < 0n ? 0n : value)
    }),
    'not good yet': inSeconds([1, 60, 1e9], 'validAfter'),
    expired: inSeconds([-1e9, -1, 0], 'validBefore'),
    'ends too soon': inSeconds([1, 5, 9], 'validBefore'),
    'ends too late': inSeconds([86_402, 1e9], 'validBefore'),
    'bound to another job': agreed((draft, { maker, random, job }) => {
      maker.bind(
        draft,
        random,
        random.pick([
          { ...job, jobId: random.uuid() },
          { ...job, capability: `${job.capability}x` },
          { ...job, endpoint: `${EXECUTE_URL}/` },
        ]),
      )
    }),
    'bound without salt': agreed((draft, { maker, random, job }) => {
      maker.bind(draft, random, job)
      draft.salt = undefined
    }),
  }
}
