import type { Authorization } from '@farebox/payments/authorization/eip-3009'
import type { PaymentDraft } from './draft.ts'
import type { Outcome, UnnumberedCase, Verdict } from './rule-case.ts'
import type { FacilitatorReply } from './subject.ts'
import { PRICE, type TrialPayer, type Trial } from './trial.ts'

/** A case with a valid payment that is changed in one way, then verified and settled. */
export interface PaymentCase {
  readonly sent: string
  /** The verdict that the rule requires of every facilitator. */
  readonly expected: Verdict
  /** The verdict that Farebox promises beyond the rule; a facilitator with the hold extension is judged by this. */
  readonly promise?: Verdict
  readonly needs?: UnnumberedCase['needs']
  /** The payer's balance of the token; default one price. */
  readonly balanceAtomic?: bigint
  readonly amountAtomic?: bigint
  readonly change: (draft: PaymentDraft, trial: Trial, payer: TrialPayer) => unknown
  /** Runs between `/verify` and `/settle`, for a payment that was valid at verification. */
  readonly between?: (draft: PaymentDraft, trial: Trial, payer: TrialPayer) => Promise<unknown>
  /** Undoes the change afterwards, whatever the result. */
  readonly undo?: (draft: PaymentDraft, trial: Trial) => Promise<unknown>
}

const WORDS: { readonly [verdict in Verdict]: string } = {
  refused: 'refused, no transaction sent',
  settled: 'settled once',
  truthful: 'refused, or settled once',
}

/** Turns it into a case of the matrix. */
export function paymentCase(one: PaymentCase): UnnumberedCase {
  const { sent, expected, promise = expected } = one
  return {
    sent,
    expected: promise === expected ? WORDS[expected] : `${WORDS[expected]} (Farebox: ${promise})`,
    ...(one.needs && { needs: one.needs }),
    play: trial => play(one, trial),
  }
}

async function play(one: PaymentCase, trial: Trial): Promise<Outcome> {
  const { expected, promise = expected, amountAtomic = PRICE } = one
  const payer = await trial.payer(one.balanceAtomic ?? amountAtomic)
  const draft = await trial.draft({ payer, amountAtomic })
  try {
    await one.change(draft, trial, payer)
    if (one.between !== undefined) return await playBetween(one, trial, draft, payer)
    const before = await trial.witness.transactionsSent()
    const verified = await trial.verify(draft)
    const settled = await trial.settle(draft)
    const seen = await see(trial, draft, before)
    return check(trial.subject.offers.has('holds') ? promise : expected, verified, settled, seen, draft)
  } finally {
    await one.undo?.(draft, trial)
  }
}

/** The payment is valid at verification and invalid at settlement: no transaction may be sent for it. */
async function playBetween(
  one: PaymentCase,
  trial: Trial,
  draft: PaymentDraft,
  payer: TrialPayer,
): Promise<Outcome> {
  const verified = await trial.verify(draft)
  if (verified.said !== 'yes')
    return { did: 'refused', wrong: `a good payment was refused: ${brief(verified)}` }
  await one.between?.(draft, trial, payer)
  const transfers = (await trial.witness.transfersFrom(draft.payer)).length
  const before = await trial.witness.transactionsSent()
  const settled = await trial.settle(draft)
  const moved = (await trial.witness.transfersFrom(draft.payer)).length - transfers
  const sent = (await trial.witness.transactionsSent()) - before
  const did = `${settled.said === 'yes' ? 'said settled' : 'refused'}${sent === 0 ? '' : `, ${sent} transaction sent`}`
  const wrong =
    settled.said !== 'no'
      ? `settle ${brief(settled)}`
      : sent > 0
        ? `${sent} transaction sent for nothing`
        : moved > 0
          ? 'money moved all the same'
          : undefined
  return { did, wrong }
}

interface Seen {
  readonly transfers: number
  /** Transfers beyond those of one settlement, or to another account. */
  readonly transactions: number
  readonly used: boolean
  readonly proves: (transaction: string) => Promise<boolean>
}

async function see(trial: Trial, draft: PaymentDraft, before: number): Promise<Seen> {
  const { witness } = trial
  const authorization = draft.body.paymentPayload.payload.authorization as Authorization
  const { nonce } = draft.signed
  return {
    transfers: (await witness.transfersFrom(draft.payer)).length,
    transactions: (await witness.transactionsSent()) - before,
    used: await witness.nonceUsed(draft.payer, nonce),
    proves: transaction => witness.proves(transaction, { ...authorization, ...lowered(authorization) }),
  }
}

/** Returns addresses and nonce in the lower-case form that the proof compares. */
function lowered(authorization: Authorization): Partial<Authorization> {
  const lower = (value: unknown): string => String(value).toLowerCase()
  return {
    from: lower(authorization.from),
    to: lower(authorization.to),
    nonce: lower(authorization.nonce),
  }
}

async function check(
  verdict: Verdict,
  verified: FacilitatorReply,
  settled: FacilitatorReply,
  seen: Seen,
  draft: PaymentDraft,
): Promise<Outcome> {
  const paid = settled.said === 'yes'
  const did = paid
    ? seen.transfers === 1
      ? 'settled once'
      : `said settled, ${seen.transfers} transfers`
    : 'refused'
  const wrong =
    verdict === 'refused' || (verdict === 'truthful' && !paid)
      ? refusedWrongly(verified, settled, seen)
      : await settledWrongly(verified, settled, seen, draft)
  return { did, wrong }
}

function refusedWrongly(
  verified: FacilitatorReply,
  settled: FacilitatorReply,
  seen: Seen,
): string | undefined {
  if (verified.said === 'yes') return `verify said valid, settle ${brief(settled)}`
  if (settled.said === 'yes') return 'settle said success'
  if (settled.said === 'later') return 'settle left it pending'
  if (seen.transfers > 0) return 'refused, and money moved'
  if (seen.used) return 'refused, and the nonce is used up'
  return seen.transactions > 0 ? `refused, and ${seen.transactions} transaction sent` : undefined
}

async function settledWrongly(
  verified: FacilitatorReply,
  settled: FacilitatorReply,
  seen: Seen,
  draft: PaymentDraft,
): Promise<string | undefined> {
  if (verified.said !== 'yes') return `verify ${brief(verified)}`
  if (settled.said !== 'yes') return `settle ${brief(settled)}`
  if (seen.transfers !== 1) return `success, and ${seen.transfers} transfers`
  if (!(await seen.proves(settled.transaction))) return 'its transaction does not prove the payment'
  const payer = String(settled.body?.['payer'] ?? draft.payer).toLowerCase()
  return payer === draft.payer ? undefined : 'it names another payer'
}

const SHOWN_CHARACTERS = 120

/** Describes a response in a few words. */
export function brief(reply: FacilitatorReply): string {
  if (reply.said === 'yes') return 'said yes'
  if (reply.said === 'later') return 'said pending'
  return reply.said === 'no'
    ? `said no (${reply.reason})`
    : `gave no verdict (HTTP ${reply.status}, ${reply.text.slice(0, SHOWN_CHARACTERS)})`
}
