import type { PaymentDraft } from '../../trial/draft.ts'
import { brief } from '../../trial/payment-case.ts'
import type { Outcome } from '../../trial/rule-case.ts'
import type { FacilitatorReply } from '../../trial/subject.ts'
import type { Trial } from '../../trial/trial.ts'

/** Checks both directions: a payment is reported as settled when the money moved, and the named transaction proves it. */
export async function checkSettled(
  { witness }: Trial,
  draft: PaymentDraft,
  verified: FacilitatorReply | undefined,
  settled: FacilitatorReply,
): Promise<Outcome> {
  const transfers = (await witness.transfersFrom(draft.payer)).length
  const did = settled.said === 'yes' ? 'settled' : `money moved, told otherwise`
  if (verified !== undefined && verified.said !== 'yes') return { did, wrong: `verify ${brief(verified)}` }
  if (transfers !== 1) return { did, wrong: `${transfers} transfers` }
  if (settled.said !== 'yes') return { did, wrong: `the money moved, and settle ${brief(settled)}` }
  const proven = await witness.proves(settled.transaction, draft.signed)
  return { did, wrong: proven ? undefined : 'its transaction does not prove the payment' }
}

/** The signature in the form in which it is sent. */
export function signatureOf(draft: PaymentDraft): string {
  return draft.body.paymentPayload.payload.signature
}
