import { brief } from '../../trial/payment-case.ts'
import { numbered, type UnnumberedCase } from '../../trial/rule-case.ts'
import { PRICE } from '../../trial/trial.ts'

/** An endless loop: JUMPDEST PUSH0 JUMP. */
const BURNS_GAS = '0x5b5f56'
/** Three times the gas of a transfer with authorization. */
const GAS_OF_ONE = 300_000n
/** The number of cancelled payments in a row. */
const FAILURES = 6

const cases: readonly UnnumberedCase[] = [
  {
    sent: 'a payment whose payer’s contract burns all gas when it is asked',
    expected: 'refused within 5 s, no transaction sent',
    async play(trial) {
      const draft = await trial.draft()
      await trial.token.setCode(draft.payer, BURNS_GAS)
      const before = await trial.witness.transactionsSent()
      const startedAt = performance.now()
      const verified = await trial.verify(draft)
      const tookMs = Math.round(performance.now() - startedAt)
      const settled = await trial.settle(draft)
      const sent = (await trial.witness.transactionsSent()) - before
      await trial.token.setCode(draft.payer, '0x')
      const wrong =
        verified.said === 'yes' || settled.said === 'yes'
          ? 'it was taken'
          : sent > 0
            ? `${sent} transaction sent`
            : tookMs > 5_000
              ? `it took ${tookMs} ms`
              : undefined
      return { did: wrong === undefined ? 'refused' : 'not refused', wrong }
    },
  },
  {
    sent: 'a payment verified, then its payer’s account gets code that burns all gas',
    expected: 'no more gas spent than a transfer takes, and told as failed',
    async play(trial) {
      const draft = await trial.draft()
      const verified = await trial.verify(draft)
      await trial.token.setCode(draft.payer, BURNS_GAS)
      const before = await trial.witness.transactionsSent()
      const settled = await trial.settle(draft)
      const sent = (await trial.witness.transactionsSent()) - before
      await trial.token.setCode(draft.payer, '0x')
      const wrong =
        verified.said !== 'yes'
          ? `verify ${brief(verified)}`
          : settled.said !== 'no'
            ? `settle ${brief(settled)}`
            : sent > 0
              ? `${sent} transaction sent for nothing`
              : undefined
      return { did: `told as failed, ${sent} transactions`, wrong }
    },
  },
  {
    sent: 'an ordinary payment, settled alone',
    expected: 'its transaction may use less than 300,000 gas',
    async play(trial) {
      const draft = await trial.draft()
      await trial.verify(draft)
      const settled = await trial.settle(draft)
      if (settled.said !== 'yes') return { did: brief(settled), wrong: `settle ${brief(settled)}` }
      const transaction = (await trial.rpc.call('eth_getTransactionByHash', [settled.transaction])) as {
        gas: string
      }
      const gas = BigInt(transaction.gas)
      return {
        did: `${gas} gas at most`,
        wrong: gas < GAS_OF_ONE ? undefined : `${gas} gas could have been burnt`,
      }
    },
  },
  {
    sent: `${FAILURES} payments of one payer that were good when verified and cancelled before they were settled`,
    expected: 'no transaction sent, and no bar: a cancellation is the right of its payer',
    async play(trial) {
      const payer = await trial.payer(10n * PRICE)
      const before = await trial.witness.transactionsSent()
      for (let index = 0; index < FAILURES; index += 1) {
        const draft = await trial.draft({ payer })
        if ((await trial.verify(draft)).said === 'no') break
        await trial.token.cancel(payer.key, draft.signed.nonce)
        await trial.settle(draft)
      }
      const refused = (await trial.verify(await trial.draft({ payer }))).said === 'no'
      const sent = (await trial.witness.transactionsSent()) - before
      const wrong =
        sent > 0 ? `${sent} transactions for nothing` : refused ? 'the payer is refused' : undefined
      return { did: refused ? 'refused' : 'served on', wrong }
    },
  },
  {
    sent: '30 payments with forged signatures at once',
    expected: 'all refused, no transaction sent, and a good payment right after them settled',
    async play(trial) {
      const payer = await trial.payer()
      const before = await trial.witness.transactionsSent()
      const drafts = await Promise.all(Array.from({ length: 30 }, () => trial.draft({ payer })))
      const replies = await Promise.all(
        drafts.map(draft => {
          draft.body.paymentPayload.payload.signature = `0x${'11'.repeat(64)}1b`
          return trial.settle(draft)
        }),
      )
      const sent = (await trial.witness.transactionsSent()) - before
      const good = await trial.draft({ payer })
      await trial.verify(good)
      const settled = await trial.settle(good)
      const wrong = replies.some(({ said }) => said === 'yes')
        ? 'a forged one was taken'
        : sent > 0
          ? `${sent} transactions sent`
          : settled.said === 'yes'
            ? undefined
            : `the good one: ${brief(settled)}`
      return { did: wrong === undefined ? 'refused, then settled' : 'not refused', wrong }
    },
  },
]

/** SR6: gas and failures that any payer can cause. */
export const sponsorshipCases = numbered('SR6', cases)
