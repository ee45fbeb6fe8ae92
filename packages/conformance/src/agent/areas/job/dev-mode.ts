import { NEEDS, type Check } from '../../check/check.ts'
import { postJob } from '../../check/context.ts'
import { describeReply, expectCompleted, expectThat } from '../../exchange/expectations.ts'

/** Dev mode: the payment gate is bypassed entirely (interface, Authentication 3). */
export const DEV_MODE_CHECKS: readonly Check[] = [
  {
    id: 'dev-mode/garbage payment',
    rules: ['interface Authentication 3', 'D14'],
    title: 'In dev mode a payment header that is garbage is not looked at',
    fix: 'Leave all payment steps out where SERVICE_DEV_MODE is true.',
    needs: NEEDS.dev,
    async run(context) {
      // The deadline is too late for a job, so the response cannot be about the payment.
      const reply = await postJob(context, await context.jobBody({ deadline: 1 }), '!!!!')
      expectThat(![401, 402].includes(reply.status), 'neither 401 nor 402', describeReply(reply))
    },
  },
  {
    id: 'dev-mode/free',
    rules: ['interface Authentication 3'],
    title: 'In dev mode a job runs without payment',
    fix: 'Leave all payment steps out where SERVICE_DEV_MODE is true.',
    needs: { ...NEEDS.deliveredJob, modes: ['dev'] },
    run: async context => void expectCompleted((await context.delivered()).reply),
  },
  {
    id: 'dev-mode/no receipt',
    rules: ['D7', 'interface Authentication 3'],
    title: 'In dev mode nothing looks like a receipt',
    fix: 'Send PAYMENT-RESPONSE only for a settled payment.',
    needs: { ...NEEDS.deliveredJob, modes: ['dev'] },
    async run(context) {
      const receipt = (await context.delivered()).reply.headers.get('payment-response')
      expectThat(receipt === null, 'no PAYMENT-RESPONSE', receipt)
    },
  },
]
