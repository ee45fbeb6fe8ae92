import type { PaymentDraft } from '../../trial/draft.ts'
import { brief } from '../../trial/payment-case.ts'
import type { Outcome, UnnumberedCase } from '../../trial/rule-case.ts'
import type { Trial } from '../../trial/trial.ts'
import { checkSettled, signatureOf } from './check-settled.ts'

/**
 * A token whose calls all succeed and move nothing: `authorizationState` returns 0, every other call returns 2^256 − 1,
 * without an event. `calldata[0..4] == e94a0102 ? return 0 : return ~0`.
 */
const PHANTOM = '0x5f3560e01c63e94a0102146012575f195f525b60205ff3'

/** The state of the chain decides, regardless of the sender of the transaction. */
export const truthCases: readonly UnnumberedCase[] = [
  {
    sent: 'a good payment that an observer submitted after it was verified',
    expected: 'settled, by the observer’s transaction, none of its own',
    play: trial =>
      settleWith(trial, {
        between: async (draft, { token }) => await token.submit(draft.signed, signatureOf(draft)),
      }),
  },
  {
    sent: 'a payment that somebody else settled before it was ever verified',
    expected: 'not sold again: refused, no transaction sent',
    async play(trial) {
      const draft = await trial.draft()
      await trial.token.submit(draft.signed, signatureOf(draft))
      return await refusedAfter(trial, draft, 1)
    },
  },
  {
    sent: 'an authorization that its payer cancelled before',
    expected: 'refused, no transaction sent: the used flag is no proof of payment',
    async play(trial) {
      const payer = await trial.payer()
      const draft = await trial.draft({ payer })
      await trial.token.cancel(payer.key, draft.signed.nonce)
      return await refusedAfter(trial, draft, 0)
    },
  },
  {
    sent: 'an authorization whose nonce its payer used for another transfer before',
    expected: 'refused, no transaction sent',
    async play(trial) {
      const payer = await trial.payer(20_000n)
      const draft = await trial.draft({ payer })
      await trial.token.spendNonce(payer.key, draft.signed.nonce)
      return await refusedAfter(trial, draft, 1)
    },
  },
  {
    sent: 'settled without being verified first',
    expected: 'settled once, proven by receipt and Transfer',
    play: trial => settleWith(trial, { verifyFirst: false }),
  },
  {
    sent: 'a token that succeeds without moving money (no Transfer in the receipt)',
    expected: 'never told as settled',
    async play(trial) {
      const draft = await trial.draft()
      const code = await trial.token.codeOf(trial.network.asset.address)
      await trial.token.setCode(trial.network.asset.address, PHANTOM)
      try {
        const before = await trial.witness.transactionsSent()
        const reply = await trial.settle(draft)
        const sent = (await trial.witness.transactionsSent()) - before
        return {
          did: `${brief(reply)}, ${sent} transaction${sent === 1 ? '' : 's'} sent`,
          wrong: reply.said === 'yes' ? 'success without a transfer' : undefined,
        }
      } finally {
        await trial.token.setCode(trial.network.asset.address, code)
      }
    },
  },
]

async function settleWith(
  trial: Trial,
  options: {
    readonly verifyFirst?: boolean
    readonly between?: (draft: PaymentDraft, trial: Trial) => Promise<unknown>
  },
): Promise<Outcome> {
  const draft = await trial.draft()
  const verified = options.verifyFirst === false ? undefined : await trial.verify(draft)
  await options.between?.(draft, trial)
  return await checkSettled(trial, draft, verified, await trial.settle(draft))
}

async function refusedAfter(trial: Trial, draft: PaymentDraft, transfersBefore: number): Promise<Outcome> {
  const before = await trial.witness.transactionsSent()
  const [verified, settled] = [await trial.verify(draft), await trial.settle(draft)]
  const sent = (await trial.witness.transactionsSent()) - before
  const moved = (await trial.witness.transfersFrom(draft.payer)).length - transfersBefore
  const wrong =
    verified.said === 'yes'
      ? 'verify said valid'
      : settled.said === 'yes'
        ? 'settle said success'
        : sent > 0
          ? `${sent} transaction sent for nothing`
          : moved > 0
            ? 'money moved'
            : undefined
  return { did: wrong === undefined ? 'refused' : 'not refused', wrong }
}
