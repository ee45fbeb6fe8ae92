import { choose } from './choose.ts'
import { EXECUTE_URL, otherJobId } from './payment-draft.ts'
import { isEnvelope, type PaymentSpoil } from './payment-spoil.ts'

/** What can be wrong with what a payment pays, though its payer signed it. */
export function termsSpoils(): { readonly [name: string]: PaymentSpoil } {
  const agreed = (draft: NonNullable<PaymentSpoil['draft']>): PaymentSpoil => ({ check: 'terms', draft })
  const inSeconds = (seconds: readonly number[], field: 'validAfter' | 'validBefore'): PaymentSpoil =>
    agreed(({ authorization }, { pick, nowSeconds }) => {
      authorization[field] = String(Math.max(0, Math.floor(nowSeconds) + choose(pick, seconds)))
    })
  return {
    'accepted disagrees': {
      check: 'terms',
      draft: draft => void (draft.version = 2),
      envelope(envelope, { pick }) {
        const { accepted } = envelope
        if (!isEnvelope(accepted)) return
        if (pick % 2 === 0) accepted['amount'] = '1'
        else accepted['payTo'] = `0x${'11'.repeat(20)}`
      },
    },
    'pays another wallet': agreed(({ authorization }) => void (authorization.to = `0x${'11'.repeat(20)}`)),
    'pays another amount': agreed(({ authorization }, { pick }) => {
      const more = BigInt(choose(pick, ['-1', '1', '10000000', '-10000', String(2n ** 200n)]))
      const value = BigInt(authorization.value) + more
      authorization.value = String(value < 0n ? 0n : value)
    }),
    'not good yet': inSeconds([1, 60, 1e9], 'validAfter'),
    expired: inSeconds([-1e9, -1, 0], 'validBefore'),
    'ends too soon': inSeconds([1, 5, 9], 'validBefore'),
    'ends too late': inSeconds([86_402, 1e9], 'validBefore'),
    'bound to another job': agreed((draft, { maker, pick, job }) => {
      const other = choose(pick, [
        { ...job, jobId: otherJobId(job.jobId, 1) },
        { ...job, capability: `${job.capability}x` },
        { ...job, endpoint: `${EXECUTE_URL}/` },
      ])
      maker.bind(draft, other)
    }),
    'bound without salt': agreed((draft, { maker, job }) => {
      maker.bind(draft, job)
      draft.salt = undefined
    }),
  }
}
