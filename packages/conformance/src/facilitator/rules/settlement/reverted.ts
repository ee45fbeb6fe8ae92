import { brief } from '../../trial/payment-case.ts'
import type { Outcome, UnnumberedCase } from '../../trial/rule-case.ts'
import type { Trial } from '../../trial/trial.ts'
import { checkSettled, signatureOf } from './check-settled.ts'

/** Transactions that revert although every check before them passed. */
export const revertedCases: readonly UnnumberedCase[] = [
  {
    sent: 'the token is paused after the last look, before the block: the transaction reverts',
    needs: ['node'],
    expected: 'told as failed, or as undecided while a reorganisation may still bring it about; not paid',
    play: trial =>
      failBeforeBlock(
        trial,
        () => trial.token.pause(),
        () => trial.token.unpause(),
      ),
  },
  {
    sent: 'the wallet is emptied after the last look, before the block: the transaction reverts',
    needs: ['node'],
    expected: 'told as failed, or as undecided while a reorganisation may still bring it about; not paid',
    play: trial => failBeforeBlock(trial, payerKey => trial.token.drain(payerKey)),
  },
  {
    sent: 'an observer submits it after the last look, before the block: its own transaction reverts',
    needs: ['node'],
    expected: 'told as settled: the money has moved, by the observer’s transaction',
    async play(trial) {
      const draft = await trial.draft()
      const verified = await trial.verify(draft)
      trial.subject.beforeSend?.(
        async () => void (await trial.token.submit(draft.signed, signatureOf(draft))),
      )
      return await checkSettled(trial, draft, verified, await trial.settle(draft))
    },
  },
]

async function failBeforeBlock(
  trial: Trial,
  act: (payerKey: string) => Promise<void>,
  undo?: () => Promise<void>,
): Promise<Outcome> {
  const payer = await trial.payer()
  const draft = await trial.draft({ payer })
  await trial.verify(draft)
  trial.subject.beforeSend?.(() => act(payer.key))
  const settled = await trial.settle(draft)
  await undo?.()
  const paid = (await trial.witness.transfersFrom(draft.payer)).some(
    ({ to }) => to === trial.subject.payTo.toLowerCase(),
  )
  const wrong =
    settled.said === 'yes'
      ? 'success, and the transaction was reverted'
      : settled.said === 'nothing'
        ? `settle ${brief(settled)}`
        : paid
          ? `settle ${brief(settled)}, and paid`
          : undefined
  return { did: settled.said === 'no' ? 'told as failed' : brief(settled), wrong }
}
