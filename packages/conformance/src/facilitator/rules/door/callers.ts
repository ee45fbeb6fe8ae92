import { sleep, systemClock } from '@farebox/protocol/time/clock'
import { administer, bearer, makeTrialSecret } from '../../trial/administer.ts'
import { OTHER_PAYEE, STRANGER } from '../../trial/local-accounts.ts'
import { brief, paymentCase } from '../../trial/payment-case.ts'
import type { UnnumberedCase } from '../../trial/rule-case.ts'
import type { SubjectRequest } from '../../trial/subject.ts'
import type { Trial } from '../../trial/trial.ts'
import { holdCases } from './holds.ts'

/** A case about the rights of a secret. */
function callerCase(
  sent: string,
  options: (trial: Trial) => Promise<SubjectRequest> | SubjectRequest,
): UnnumberedCase {
  return {
    sent: `a good payment with ${sent}`,
    expected: '401 or 403 on both routes, no transaction sent',
    needs: ['secrets'],
    async play(trial) {
      const draft = await trial.draft()
      const sentAs = await options(trial)
      const before = await trial.witness.transactionsSent()
      const replies = [await trial.verify(draft, sentAs), await trial.settle(draft, sentAs)]
      const transactions = (await trial.witness.transactionsSent()) - before
      const bad = replies.find(({ status }) => status !== 401 && status !== 403)
      return {
        did: replies.map(({ status }) => `HTTP ${status}`).join(', '),
        wrong: bad
          ? `${brief(bad)} (HTTP ${bad.status})`
          : transactions > 0
            ? 'a transaction was sent'
            : undefined,
      }
    },
  }
}

/** The rights of secrets. */
export const callerCases: readonly UnnumberedCase[] = [
  callerCase('no secret', () => ({ authorization: undefined })),
  callerCase('an empty secret', () => bearer('')),
  callerCase('a secret of the right form that nobody was given', ({ subject }) =>
    bearer(`fbx_0123456789abcdef_${subject.secret.slice(21)}`),
  ),
  callerCase('one character of the secret changed', ({ subject: { secret } }) =>
    bearer(secret.slice(0, 30) + (secret[30] === 'A' ? 'B' : 'A') + secret.slice(31)),
  ),
  callerCase('the last character of the secret missing', ({ subject }) =>
    bearer(subject.secret.slice(0, -1)),
  ),
  callerCase('a character more than the secret', ({ subject }) => bearer(`${subject.secret}0`)),
  callerCase('the secret as Basic', ({ subject }) => ({ authorization: `Basic ${subject.secret}` })),
  callerCase('the secret without its scheme', ({ subject }) => ({ authorization: subject.secret })),
  callerCase('the secret in another header', ({ subject }) => ({
    authorization: undefined,
    headers: { 'x-facilitator-secret': subject.secret, 'x-api-key': subject.secret },
  })),
  callerCase('a secret that was revoked, more than 5 s ago', async trial => {
    const made = await makeTrialSecret(trial, [trial.subject.payTo])
    await trial.verify(await trial.draft(), bearer(made.secret))
    await administer(trial, 'DELETE', `/secrets/${made.id}`)
    await sleep(systemClock, 5_000, trial.subject.signal)
    return bearer(made.secret)
  }),
  callerCase('the secret of another owner, who does not own the wallet that is paid', async trial =>
    bearer((await makeTrialSecret(trial, [OTHER_PAYEE.address])).secret),
  ),
  callerCase('the administration’s token', ({ subject }) => bearer(subject.adminToken ?? '')),
  paymentCase({
    sent: 'a good payment to a wallet that the secret does not own, everything else agreeing',
    expected: 'refused',
    needs: ['secrets'],
    change: draft => {
      const payTo = STRANGER.address.toLowerCase()
      draft.terms({ payTo })
      draft.sign({ to: payTo })
    },
  }),
  {
    sent: 'a payment verified with one owner’s secret, settled with another’s who shares the wallet',
    expected: 'refused, no transaction sent',
    needs: ['secrets'],
    async play(trial) {
      const other = await makeTrialSecret(trial, [trial.subject.payTo])
      const draft = await trial.draft()
      const verified = await trial.verify(draft)
      const before = await trial.witness.transactionsSent()
      const settled = await trial.settle(draft, bearer(other.secret))
      const sent = (await trial.witness.transactionsSent()) - before
      const wrong =
        verified.said !== 'yes'
          ? `verify ${brief(verified)}`
          : settled.said === 'yes'
            ? 'somebody else charged it'
            : sent > 0
              ? 'a transaction was sent'
              : undefined
      return { did: brief(settled), wrong }
    },
  },
  ...holdCases,
  {
    sent: 'the list of an owner’s secrets',
    expected: 'ids and wallets; not the secret, nor its hash',
    needs: ['secrets'],
    async play(trial) {
      const made = await makeTrialSecret(trial, [trial.subject.payTo])
      const { text } = await administer(trial, 'GET', `/secrets?owner=${encodeURIComponent(made.owner)}`)
      const wrong = !text.includes(made.id)
        ? 'it is not in the list'
        : text.includes(made.secret.slice(21)) || /hash/i.test(text)
          ? 'it tells the secret'
          : undefined
      return { did: wrong === undefined ? 'told ids' : 'told more', wrong }
    },
  },
]
