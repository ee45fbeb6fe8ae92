import type { PaymentDraft } from '../../trial/draft.ts'
import { brief } from '../../trial/payment-case.ts'
import type { Outcome, UnnumberedCase } from '../../trial/rule-case.ts'
import type { FacilitatorReply } from '../../trial/subject.ts'
import type { Trial } from '../../trial/trial.ts'

/** Repeated requests: the same response each time, and one transfer. */
export const idempotentCases: readonly UnnumberedCase[] = [
  {
    sent: 'settled twice, one after the other',
    expected: 'the same transaction both times, one transfer',
    play: trial => settleOften(trial, 2, 'in turn'),
  },
  {
    sent: 'settled ten times, one after the other',
    expected: 'the same transaction every time, one transfer',
    play: trial => settleOften(trial, 10, 'in turn'),
  },
  {
    sent: 'settled 20 times at once',
    expected: 'the same transaction every time, one transfer',
    play: trial => settleOften(trial, 20, 'at once'),
  },
  {
    sent: 'settled 100 times at once, never verified',
    expected: 'the same transaction every time, one transfer',
    play: trial => settleOften(trial, 100, 'at once', false),
  },
  {
    sent: 'settled again when the wallet is empty',
    expected: 'the same transaction: what was paid stays paid',
    play: trial => settleOften(trial, 2, 'in turn', true, (_, { address }) => emptied(trial, address)),
  },
  {
    sent: 'settled again while the token is paused',
    expected: 'the same transaction: what was paid stays paid',
    async play(trial) {
      try {
        return await settleOften(trial, 2, 'in turn', true, () => trial.token.pause())
      } finally {
        await trial.token.unpause()
      }
    },
  },
]

async function emptied(trial: Trial, address: string): Promise<void> {
  // The wallet held exactly one price, so the settlement has emptied it.
  const moved = await trial.witness.transfersFrom(address)
  if (moved.length !== 1) throw new Error('the payment was not settled')
}

async function settleOften(
  trial: Trial,
  times: number,
  how: 'in turn' | 'at once',
  verifyFirst = true,
  afterFirst?: (draft: PaymentDraft, payer: { readonly address: string }) => Promise<void>,
): Promise<Outcome> {
  const payer = await trial.payer()
  const draft = await trial.draft({ payer })
  if (verifyFirst) await trial.verify(draft)
  const replies: FacilitatorReply[] = []
  if (how === 'at once')
    replies.push(...(await Promise.all(Array.from({ length: times }, () => trial.settle(draft)))))
  else {
    for (let index = 0; index < times; index += 1) {
      replies.push(await trial.settle(draft))
      if (index === 0) await afterFirst?.(draft, payer)
    }
  }
  const transfers = (await trial.witness.transfersFrom(draft.payer)).length
  const yes = replies.filter(({ said }) => said === 'yes')
  const hashes = new Set(yes.map(({ transaction }) => transaction))
  const other = replies.find(({ said }) => said !== 'yes')
  const did = `${yes.length} of ${times} told as settled, ${transfers} transfer${transfers === 1 ? '' : 's'}`
  const wrong =
    transfers !== 1
      ? `${transfers} transfers`
      : other !== undefined
        ? `paid, and ${times - yes.length} of ${times} were told otherwise: ${brief(other)}`
        : hashes.size === 1
          ? undefined
          : `${hashes.size} different transactions named`
  return { did, wrong }
}
