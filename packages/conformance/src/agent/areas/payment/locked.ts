import { NEEDS, type Check } from '../../check/check.ts'
import { postJob } from '../../check/context.ts'
import { expectFailure } from '../../exchange/expectations.ts'
import { forgeHeader } from '../../check/forge-payment.ts'
import { expectPrice } from '../price/ask-price.ts'

const MESSAGE = /^FACILITATOR_SECRET is missing or was refused by the facilitator$/
const FIX = 'Answer 401 with the fixed message, before the payment header is looked into.'

/** An agent without its FACILITATOR_SECRET (D11). */
export const LOCKED_CHECKS: readonly Check[] = [
  {
    id: 'locked/unpaid',
    rules: ['D11'],
    title: 'Without its secret an agent still tells its price',
    fix: 'Answer 402 to a request without a payment header, whatever the secret.',
    needs: NEEDS.locked,
    async run(context) {
      await expectPrice(
        context,
        await postJob(context, await context.jobBody()),
        (await context.agent()).first,
      )
    },
  },
  {
    id: 'locked/good-payment',
    rules: ['D11', 'interface Authentication 4'],
    title: 'Without its secret an agent answers a payment 401',
    fix: FIX,
    needs: NEEDS.locked,
    async run(context) {
      expectFailure(
        await postJob(context, await context.jobBody(), await forgeHeader(context)),
        401,
        'payment',
        MESSAGE,
      )
    },
  },
  {
    id: 'locked/garbage',
    rules: ['D11', 'D14'],
    title: 'Without its secret an agent answers 401 before it decodes a payment header',
    fix: FIX,
    needs: NEEDS.locked,
    run: async context =>
      void expectFailure(await postJob(context, await context.jobBody(), '!!!!'), 401, 'payment', MESSAGE),
  },
  {
    id: 'locked/past-deadline',
    rules: ['D11', 'D14'],
    title: 'Without its secret an agent answers 401 before it looks at the deadline',
    fix: FIX,
    needs: NEEDS.locked,
    async run(context) {
      expectFailure(
        await postJob(context, await context.jobBody({ deadline: 1 }), '!!!!'),
        401,
        'payment',
        MESSAGE,
      )
    },
  },
]
