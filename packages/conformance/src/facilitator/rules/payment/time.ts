import { paymentCase } from '../../trial/payment-case.ts'
import { numbered, type UnnumberedCase, type Verdict } from '../../trial/rule-case.ts'

interface Window {
  readonly sent: string
  readonly expected: Verdict
  readonly promise?: Verdict
  /** Seconds from now, or an absolute value. */
  readonly validBefore?: number | string
  readonly validAfter?: number | string
}

function windowCase({ validBefore = 300, validAfter = '0', ...one }: Window): UnnumberedCase {
  return paymentCase({
    ...one,
    change: async (draft, trial) => {
      const nowSeconds = await trial.nowSeconds()
      const at = (time: number | string): string =>
        typeof time === 'string' ? time : String(nowSeconds + time)
      draft.sign({ validBefore: at(validBefore), validAfter: at(validAfter) })
    },
  })
}

const leftSeconds = (left: number, expected: Verdict, promise: Verdict): UnnumberedCase =>
  windowCase({ sent: `${left} s of validity left`, expected, promise, validBefore: left })

/** SR3: expired, not yet valid, at the boundary, with too little and with too much time left. */
export const timeCases = numbered('SR3', [
  windowCase({ sent: 'expired a second ago', expected: 'refused', validBefore: -1 }),
  windowCase({ sent: 'expired an hour ago', expected: 'refused', validBefore: -3_600 }),
  windowCase({ sent: 'validBefore 0', expected: 'refused', validBefore: '0' }),
  windowCase({ sent: 'validBefore exactly now (the token is strict)', expected: 'refused', validBefore: 0 }),
  leftSeconds(1, 'refused', 'refused'),
  // Each facilitator chooses its minimum time, as long as it settles what it verifies. Ours is 10 s.
  ...[2, 3, 4, 5, 6, 7, 8, 9].map(left => leftSeconds(left, 'truthful', 'refused')),
  // Far enough from every margin that a busy machine does not change the result.
  ...[40, 60].map(left => leftSeconds(left, 'settled', 'settled')),
  windowCase({ sent: 'good only in a minute', expected: 'refused', validAfter: 60 }),
  windowCase({ sent: 'good only in a year', expected: 'refused', validAfter: 31_536_000 }),
  windowCase({ sent: 'good only in thirty seconds', expected: 'refused', validAfter: 30 }),
  windowCase({ sent: 'validAfter two seconds ago', expected: 'settled', validAfter: -2 }),
  windowCase({
    sent: 'validAfter after validBefore',
    expected: 'refused',
    validAfter: 200,
    validBefore: 100,
  }),
  windowCase({ sent: 'good for a day less a minute', expected: 'settled', validBefore: 86_340 }),
  windowCase({
    sent: 'good for a day and ten minutes',
    expected: 'truthful',
    promise: 'refused',
    validBefore: 87_000,
  }),
  windowCase({
    sent: 'good for ten years',
    expected: 'truthful',
    promise: 'refused',
    validBefore: 315_360_000,
  }),
  windowCase({
    sent: 'good until 2^256 − 1',
    expected: 'truthful',
    promise: 'refused',
    validBefore: ((1n << 256n) - 1n).toString(),
  }),
])
