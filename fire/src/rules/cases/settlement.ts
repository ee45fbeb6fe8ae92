import type { Draft } from '../draft.ts'
import { brief } from '../payment-case.ts'
import { numbered, type Outcome, type UnnumberedCase } from '../rule-case.ts'
import type { Told } from '../subject.ts'
import type { Trial } from '../trial.ts'

/**
 * A token that succeeds at everything and moves nothing: for `authorizationState` it answers 0, for anything else
 * 2^256 − 1, without an event. `calldata[0..4] == e94a0102 ? return 0 : return ~0`.
 */
const PHANTOM = '0x5f3560e01c63e94a0102146012575f195f525b60205ff3'

const truth: readonly UnnumberedCase[] = [
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
        const told = await trial.settle(draft)
        const sent = (await trial.witness.transactionsSent()) - before
        return {
          did: `${brief(told)}, ${sent} transaction${sent === 1 ? '' : 's'} sent`,
          wrong: told.said === 'yes' ? 'success without a transfer' : undefined,
        }
      } finally {
        await trial.token.setCode(trial.network.asset.address, code)
      }
    },
  },
]

const reverted: readonly UnnumberedCase[] = [
  {
    sent: 'the token is paused after the last look, before the block: the transaction reverts',
    needs: ['node'],
    expected: 'told as failed',
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
    expected: 'told as failed',
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
      return await judgeSettled(trial, draft, verified, await trial.settle(draft))
    },
  },
]

function signatureOf(draft: Draft): string {
  return draft.body.paymentPayload.payload.signature
}

async function settleWith(
  trial: Trial,
  options: {
    readonly verifyFirst?: boolean
    readonly between?: (draft: Draft, trial: Trial) => Promise<unknown>
  },
): Promise<Outcome> {
  const draft = await trial.draft()
  const verified = options.verifyFirst === false ? undefined : await trial.verify(draft)
  await options.between?.(draft, trial)
  return await judgeSettled(trial, draft, verified, await trial.settle(draft))
}

/** Both ways: told as settled where the money moved, and proven by the transaction it names. */
async function judgeSettled(
  { witness }: Trial,
  draft: Draft,
  verified: Told | undefined,
  settled: Told,
): Promise<Outcome> {
  const transfers = (await witness.transfersFrom(draft.payer)).length
  const did = settled.said === 'yes' ? 'settled' : `money moved, told otherwise`
  if (verified !== undefined && verified.said !== 'yes') return { did, wrong: `verify ${brief(verified)}` }
  if (transfers !== 1) return { did, wrong: `${transfers} transfers` }
  if (settled.said !== 'yes') return { did, wrong: `the money moved, and settle ${brief(settled)}` }
  const proven = await witness.proves(settled.transaction, draft.signed)
  return { did, wrong: proven ? undefined : 'its transaction does not prove the payment' }
}

async function refusedAfter(trial: Trial, draft: Draft, transfersBefore: number): Promise<Outcome> {
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
      : settled.said !== 'no'
        ? `settle ${brief(settled)}`
        : paid
          ? 'told as failed, and paid'
          : undefined
  return { did: settled.said === 'no' ? 'told as failed' : brief(settled), wrong }
}

const idempotent: readonly UnnumberedCase[] = [
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
  // A price was all there was: settling it has emptied the wallet.
  const moved = await trial.witness.transfersFrom(address)
  if (moved.length !== 1) throw new Error('the payment was not settled')
}

async function settleOften(
  trial: Trial,
  times: number,
  how: 'in turn' | 'at once',
  verifyFirst = true,
  afterFirst?: (draft: Draft, payer: { readonly address: string }) => Promise<void>,
): Promise<Outcome> {
  const payer = await trial.payer()
  const draft = await trial.draft({ payer })
  if (verifyFirst) await trial.verify(draft)
  const told: Told[] = []
  if (how === 'at once')
    told.push(...(await Promise.all(Array.from({ length: times }, () => trial.settle(draft)))))
  else {
    for (let index = 0; index < times; index += 1) {
      told.push(await trial.settle(draft))
      if (index === 0) await afterFirst?.(draft, payer)
    }
  }
  const transfers = (await trial.witness.transfersFrom(draft.payer)).length
  const yes = told.filter(({ said }) => said === 'yes')
  const hashes = new Set(yes.map(({ transaction }) => transaction))
  const other = told.find(({ said }) => said !== 'yes')
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

/** SR4: receipt and Transfer, foreign transactions, cancellations, reverts, and the same answer every time. */
export const settlementCases = numbered('SR4', [...truth, ...reverted, ...idempotent])
