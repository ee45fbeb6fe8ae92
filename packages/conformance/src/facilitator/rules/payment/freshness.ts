import { brief, paymentCase } from '../../trial/payment-case.ts'
import { numbered, type Outcome, type UnnumberedCase } from '../../trial/rule-case.ts'
import { PRICE, type Trial } from '../../trial/trial.ts'

const LARGEST = ((1n << 256n) - 1n).toString()

const amounts: readonly UnnumberedCase[] = [
  paymentCase({
    sent: 'an amount of zero, asked and signed',
    expected: 'refused',
    amountAtomic: 0n,
    change: () => undefined,
  }),
  ...[1n, 10n, 999n].map(amountAtomic =>
    paymentCase({
      sent: `${amountAtomic} atomic unit${amountAtomic === 1n ? '' : 's'}, asked and signed: less than its gas costs`,
      expected: 'refused',
      amountAtomic,
      change: () => undefined,
    }),
  ),
  paymentCase({
    sent: '1000 atomic units, asked and signed',
    expected: 'truthful',
    promise: 'settled',
    amountAtomic: 1_000n,
    change: () => undefined,
  }),
  ...[0n, 1n, PRICE - 1n].map(balanceAtomic =>
    paymentCase({
      sent: `a payer with ${balanceAtomic} of ${PRICE} atomic units`,
      expected: 'refused',
      balanceAtomic,
      change: () => undefined,
    }),
  ),
  paymentCase({
    sent: '2^256 − 1 atomic units, asked and signed',
    expected: 'refused',
    change: draft => {
      draft.terms({ amount: LARGEST })
      draft.sign({ value: LARGEST })
    },
  }),
]

const used: readonly UnnumberedCase[] = [
  {
    sent: 'verified again after it was settled',
    expected: 'refused: one payment is sold once',
    async play(trial) {
      const draft = await trial.draft({ payer: await trial.payer(2n * PRICE) })
      await trial.verify(draft)
      const settled = await trial.settle(draft)
      if (settled.said !== 'yes') return { did: brief(settled), wrong: `settle ${brief(settled)}` }
      const again = await trial.verify(draft)
      return {
        did: again.said === 'yes' ? 'valid again' : 'refused',
        wrong: again.said === 'yes' ? 'verify said valid of a payment that was used' : undefined,
      }
    },
  },
  {
    sent: 'two different payments of one payer',
    expected: 'both settled: they are not taken for one',
    async play(trial) {
      const payer = await trial.payer(2n * PRICE)
      const drafts = await Promise.all([1, 2].map(() => trial.draft({ payer })))
      const settled = []
      for (const draft of drafts) {
        await trial.verify(draft)
        settled.push(await trial.settle(draft))
      }
      const transfers = (await trial.witness.transfersFrom(payer.address)).length
      const bad = settled.find(({ said }) => said !== 'yes')
      return {
        did: `${transfers} transfers`,
        wrong: bad ? `settle ${brief(bad)}` : transfers === 2 ? undefined : `${transfers} transfers`,
      }
    },
  },
  {
    sent: 'two messages under one nonce, to two wallets of one owner, verified one after the other',
    expected: 'one valid at most',
    play: trial => twins(trial, 'wallet'),
  },
  {
    sent: 'two messages under one nonce, of two amounts, verified one after the other',
    expected: 'one valid at most',
    play: trial => twins(trial, 'amount'),
  },
]

/** PAY-07: one nonce can pay for one purpose only. */
async function twins(trial: Trial, by: 'wallet' | 'amount'): Promise<Outcome> {
  const payer = await trial.payer(4n * PRICE)
  const first = await trial.draft({ payer })
  const second = await trial.draft(
    by === 'wallet' ? { payer, payTo: trial.subject.secondPayTo } : { payer, amountAtomic: 2n * PRICE },
  )
  const { to, value } = second.signed
  second.sign({ nonce: first.signed.nonce, to, value })
  const replies = [await trial.verify(first), await trial.verify(second)]
  const valid = replies.filter(({ said }) => said === 'yes').length
  return { did: `${valid} of 2 valid`, wrong: valid > 1 ? 'both were sold' : undefined }
}

const beyond: readonly UnnumberedCase[] = [
  ...(['one after the other', 'at once'] as const).map((how): UnnumberedCase => ({
    sent: `six payments of a payer who can pay three, verified ${how}`,
    expected: 'three valid',
    async play(trial) {
      const valid = (await verifySix(trial, how)).length
      return { did: `${valid} of 6 valid`, wrong: valid === 3 ? undefined : `${valid} were promised` }
    },
  })),
  {
    sent: 'six payments of a payer who can pay three: those that were valid are settled at once',
    expected: 'all of them settled, no transaction for nothing',
    async play(trial) {
      const valid = await verifySix(trial, 'at once')
      const before = await trial.witness.transactionsSent()
      const settled = await Promise.all(valid.map(draft => trial.settle(draft)))
      const paid = settled.filter(({ said }) => said === 'yes').length
      const sent = (await trial.witness.transactionsSent()) - before
      const did = `${valid.length} valid, ${paid} settled, ${sent} transactions`
      return {
        did,
        wrong:
          paid < valid.length
            ? `${valid.length - paid} of ${valid.length} valid payments failed`
            : sent > paid
              ? `${sent} transactions for ${paid} transfers`
              : undefined,
      }
    },
  },
]

async function verifySix(
  trial: Trial,
  how: 'one after the other' | 'at once',
): Promise<readonly Awaited<ReturnType<Trial['draft']>>[]> {
  const payer = await trial.payer(3n * PRICE)
  const drafts = await Promise.all(Array.from({ length: 6 }, () => trial.draft({ payer })))
  const valid: (typeof drafts)[number][] = []
  const verify = async (draft: (typeof drafts)[number]): Promise<void> => {
    if ((await trial.verify(draft)).said === 'yes') valid.push(draft)
  }
  if (how === 'at once') await Promise.all(drafts.map(verify))
  else for (const draft of drafts) await verify(draft)
  return valid
}

/** SR5: amounts, balances, used nonces, and more authorizations than the balance covers. */
export const freshnessCases = numbered('SR5', [...amounts, ...used, ...beyond])
