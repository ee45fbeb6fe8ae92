import { MAX_BODY_BYTES } from '@farebox/protocol/limits'
import { NEEDS, needsFixture, type Check, type Needs } from '../../check/check.ts'
import { postJob } from '../../check/context.ts'
import { expectCompleted, expectEqual, expectFailure, expectThat } from '../../exchange/expectations.ts'
import { forgeHeader, sendSignature } from '../../check/forge-payment.ts'
import { expectRefused } from './judge-payment.ts'
import { knock, markedBody } from '../request/knock.ts'

const FIX =
  'Check in this order: method, size, content type, JSON, service_version, job_id, task, deadline, capability, secret, payment header, signature, stored response, terms of the payment, deadline passed, facilitator, input.'
const OTHER = '0x1111111111111111111111111111111111111111'
const TOO_LARGE = ' '.repeat(MAX_BODY_BYTES + 1)

/** Each request breaks two rules; the response must be about the rule that comes first (D14). */
export const ORDER_CHECKS: readonly Check[] = [
  order('method before size', NEEDS.nothing, async context => {
    expectFailure(await context.send({ method: 'PUT', path: '/execute', body: TOO_LARGE }), 405, 'validation')
  }),
  order('size before content type', NEEDS.nothing, async context => {
    const reply = await knock(context, { headers: { 'content-type': 'text/plain' }, body: TOO_LARGE })
    expectFailure(reply, 400, 'validation', /large|size|bytes|MiB/i)
  }),
  order('size before payment', NEEDS.asksForPayment, async context => {
    expectFailure(
      await context.send({ method: 'POST', path: '/execute', body: TOO_LARGE }),
      400,
      'validation',
      /large|size|bytes|MiB/i,
    )
  }),
  order('content type before JSON', NEEDS.nothing, async context => {
    const reply = await knock(context, { headers: { 'content-type': 'text/plain' }, body: '{' })
    expectFailure(reply, 400, 'validation', /content-type|application\/json/i)
  }),
  order('depth before service_version', NEEDS.nothing, async context => {
    const body = `{"service_version":"9","deep":${'['.repeat(100)}${']'.repeat(100)}}`
    expectFailure(await knock(context, { body }), 400, 'validation', /^body: /)
  }),
  ...(['service_version', 'job_id', 'task', 'deadline'] as const).map((field, index, fields) =>
    order(`${field} before what follows`, NEEDS.nothing, async context => {
      const wrong = Object.fromEntries(fields.slice(index).map(one => [one, 'wrong']))
      const body = { ...(await markedBody(context)), ...wrong }
      expectFailure(
        await knock(context, { body: JSON.stringify(body) }),
        400,
        'validation',
        new RegExp(`^${field}[.:]`),
      )
    }),
  ),
  order('deadline shape before capability', NEEDS.nothing, async context => {
    const body = { ...(await markedBody(context)), deadline: null }
    expectFailure(await knock(context, { body: JSON.stringify(body) }), 400, 'validation', /^deadline: /)
  }),
  order('capability before secret, payment header and deadline', NEEDS.nothing, async context => {
    const body = { ...(await markedBody(context)), deadline: 1 }
    expectFailure(await knock(context, { body: JSON.stringify(body) }), 400, 'capability')
  }),
  order(
    'payment header before deadline',
    NEEDS.looksAtPayments,
    async context => void (await expectRefused(context, 'e30=')),
  ),
  order('signature before terms', NEEDS.looksAtPayments, async context => {
    const broken = sendSignature(signature => `${signature.slice(0, 100)}${'0'.repeat(30)}1b`)
    const alone = await expectRefused(context, await forgeHeader(context, { envelope: broken }))
    const both = await expectRefused(
      context,
      await forgeHeader(context, { sign: { to: OTHER }, envelope: broken }),
    )
    expectEqual(both, alone, 'the message about the signature')
  }),
  order('terms before deadline', NEEDS.looksAtPayments, async context => {
    await expectRefused(context, await forgeHeader(context, { sign: { to: OTHER } }))
  }),
  order('deadline before facilitator', NEEDS.looksAtPayments, async context => {
    expectFailure(
      await postJob(context, await context.jobBody({ deadline: 1 }), await forgeHeader(context)),
      408,
      'deadline',
    )
  }),
  order('facilitator before input', NEEDS.looksAtPayments, async context => {
    const { first, capability } = await context.agent()
    const body = await context.jobBody({ input: wrongInput(Object.keys(capability(first).input_schema)) })
    expectFailure(await postJob(context, body, await forgeHeader(context)), 402, 'payment')
  }),
  order('deadline before input', NEEDS.dev, async context => {
    expectFailure(await postJob(context, await context.jobBody({ input: {}, deadline: 1 })), 408, 'deadline')
  }),
  order('input before handler', needsFixture(1), async context => {
    const key = `order ${context.nowSeconds()}`
    expectFailure(await context.runJob({ capability: 'echo', input: { key, text: '' } }), 400, 'validation')
    expectEqual(
      expectCompleted(await context.runJob({ capability: 'count', input: { key } }))['runs'],
      0,
      'runs',
    )
  }),
  order('capability before stored response', NEEDS.deliveredJob, async context => {
    const { jobId, payment } = await context.delivered()
    const body = { ...(await markedBody(context)), job_id: jobId }
    expectFailure(await postJob(context, body, payment), 400, 'capability')
  }),
  order('payment header before stored response', NEEDS.paidJob, async context => {
    const { jobId } = await context.delivered()
    expectFailure(await postJob(context, await context.jobBody({ jobId }), '!!!!'), 402, 'payment')
  }),
  order('stored response before deadline', NEEDS.paidJob, async context => {
    const { jobId, payment, reply } = await context.delivered()
    const again = await postJob(context, await context.jobBody({ jobId, deadline: 1 }), payment)
    expectThat(again.text === reply.text, 'the stored response', again.text)
  }),
  order('the payment of a repeat before it answers', NEEDS.paidJob, async context => {
    const { jobId } = await context.delivered()
    const { signer } = context.payer()
    const worthless = await forgeHeader(context, {
      signer,
      sign: { value: '0', to: OTHER, validBefore: '1' },
    })
    const again = await postJob(context, await context.jobBody({ jobId, deadline: 1 }), worthless)
    expectFailure(again, 402, 'payment')
  }),
]

function order(name: string, needs: Needs, run: Check['run']): Check {
  return {
    id: `order/${name}`,
    rules: ['D14'],
    title: `POST /execute looks at ${name}`,
    fix: FIX,
    needs,
    run,
  }
}

/** An array for each field, to which no field type can be coerced. */
function wrongInput(fields: readonly string[]): object {
  return Object.fromEntries(fields.map(field => [field, null]))
}
