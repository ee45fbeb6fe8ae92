import { HOLD_EXTENSION } from '@farebox/payments/x402/facilitator-api'
import { bearer, makeTrialSecret } from '../../trial/administer.ts'
import { brief } from '../../trial/payment-case.ts'
import type { UnnumberedCase } from '../../trial/rule-case.ts'
import { ask } from '../../trial/subject.ts'

/** The binding of the payments: a hold can be released only together with it. */
const BINDING = `0x${'b1'.repeat(32)}`

/** Holds, and which callers may release them. */
export const holdCases: readonly UnnumberedCase[] = [
  {
    sent: 'a hold of one owner, released with another’s secret, then settled by the first',
    expected: 'not released, and settled',
    needs: ['secrets', 'holds'],
    async play(trial) {
      const other = await makeTrialSecret(trial, [trial.subject.payTo])
      const draft = await trial.draft()
      draft.body.extensions = { [HOLD_EXTENSION]: { binding: BINDING } }
      const verified = await trial.verify(draft)
      const holdId = /"holdId":"([^"]+)"/.exec(verified.text)?.[1] ?? ''
      const released = await ask(
        trial.subject,
        '/release',
        { holdId, binding: BINDING },
        bearer(other.secret),
      )
      const settled = await trial.settle(draft)
      const wrong =
        holdId === ''
          ? 'no hold was made'
          : released.said === 'yes'
            ? 'somebody else released it'
            : settled.said === 'yes'
              ? undefined
              : `settle ${brief(settled)}`
      return { did: `released: ${released.said}, then ${brief(settled)}`, wrong }
    },
  },
  {
    sent: 'a hold released, then settled',
    expected: 'refused, no transaction sent',
    needs: ['holds'],
    async play(trial) {
      const draft = await trial.draft()
      draft.body.extensions = { [HOLD_EXTENSION]: { binding: BINDING } }
      const verified = await trial.verify(draft)
      const holdId = /"holdId":"([^"]+)"/.exec(verified.text)?.[1] ?? ''
      const released = await ask(trial.subject, '/release', { holdId, binding: BINDING })
      const before = await trial.witness.transactionsSent()
      const settled = await trial.settle(draft)
      const sent = (await trial.witness.transactionsSent()) - before
      const wrong =
        released.said !== 'yes'
          ? `release ${brief(released)}`
          : settled.said !== 'no'
            ? `settle ${brief(settled)}`
            : sent > 0
              ? 'a transaction was sent'
              : undefined
      return { did: brief(settled), wrong }
    },
  },
]
