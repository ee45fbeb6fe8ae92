import { MAX_BODY_BYTES } from '@farebox/protocol/limits'
import { NEEDS, type Check } from '../../check/check.ts'
import type { CheckContext, JobWish } from '../../check/context.ts'
import { postJob } from '../../check/context.ts'
import { expectFailure } from '../../exchange/expectations.ts'
import { expectPrice } from './ask-price.ts'
import type { Outgoing, Reply } from '../../exchange/send-request.ts'

const JSON_TYPE = { 'content-type': 'application/json' }

/** Bodies that are not a valid job; without a payment the response is a price nevertheless (D14). */
const NO_JOBS: readonly (readonly [name: string, request: Pick<Outgoing, 'headers' | 'body'>])[] = [
  ['an empty body', { headers: JSON_TYPE, body: '' }],
  ['no JSON', { headers: JSON_TYPE, body: '{"task":' }],
  ['JSON null', { headers: JSON_TYPE, body: 'null' }],
  ['a JSON array', { headers: JSON_TYPE, body: '[]' }],
  ['an empty object', { headers: JSON_TYPE, body: '{}' }],
  ['task null', { headers: JSON_TYPE, body: '{"task":null}' }],
  ['a body of text/plain', { headers: { 'content-type': 'text/plain' }, body: 'hello' }],
  ['invalid UTF-8', { headers: JSON_TYPE, body: Uint8Array.of(0x7b, 0xff, 0x7d) }],
  ['a body 100 levels deep', { headers: JSON_TYPE, body: '['.repeat(100) + ']'.repeat(100) }],
]

/** Jobs with a fault that is checked only after the payment. */
const WRONG_JOBS: readonly (readonly [name: string, wish: JobWish])[] = [
  ['an input of the wrong shape', { input: 'text' }],
  ['a deadline long past', { deadline: 1 }],
  ['a job_id that is no UUID', { jobId: 'job-1' }],
]

/** Names that are not a capability; the last ones are dangerous to look up in an object (VAL-02, D21). */
export const UNKNOWN_CAPABILITIES: readonly unknown[] = [
  'no-such-capability',
  '',
  7,
  null,
  true,
  ['a'],
  { name: 'a' },
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
]

/**
 * `POST /execute` without a payment header: the response is a price, whatever else is wrong, unless no capability has the
 * requested name (D14).
 */
export const UNPAID_CHECKS: readonly Check[] = [
  ...NO_JOBS.map(([name, request]): Check => ({
    id: `unpaid/${name}`,
    rules: ['D14'],
    title: `Unpaid, ${name} is answered with the price of the first capability`,
    fix: 'Look for the payment header before the body; where none is there, answer 402.',
    needs: NEEDS.asksForPayment,
    async run(context) {
      const { first } = await context.agent()
      await expectPrice(context, await context.send({ method: 'POST', path: '/execute', ...request }), first)
    },
  })),
  ...WRONG_JOBS.map(([name, wish]): Check => ({
    id: `unpaid/${name}`,
    rules: ['D14'],
    title: `Unpaid, ${name} is answered with the price`,
    fix: 'Ask for payment before looking at anything but the capability.',
    needs: NEEDS.asksForPayment,
    async run(context) {
      const { first } = await context.agent()
      await expectPrice(context, await postJob(context, await context.jobBody(wish)), first)
    },
  })),
  {
    id: 'unpaid/named-capability',
    rules: ['D2', 'D14'],
    title: 'Unpaid, a body that is wrong otherwise is answered with the price of the capability it names',
    fix: 'Read task.capability of an unpaid body wherever it can be read.',
    needs: NEEDS.asksForPayment,
    async run(context) {
      for (const capability of (await context.agent()).names) {
        await expectPrice(
          context,
          await postJob(context, { service_version: '0.9', task: { capability } }),
          capability,
        )
      }
    },
  },
  {
    id: 'unpaid/unknown-capability',
    rules: ['D14', 'D21', 'VAL-02', 'interface Processing 3'],
    title: 'Unpaid, a named unknown capability is answered 400 with those there are',
    fix: 'Answer 400 capability before the 402, with the declared names in the message; look them up in a Map.',
    needs: NEEDS.asksForPayment,
    async run(context) {
      for (const capability of UNKNOWN_CAPABILITIES) {
        await expectUnknownCapability(
          context,
          await postJob(context, { task: { capability, input: {} } }),
          capability,
        )
      }
    },
  },
  {
    id: 'unpaid/too-large',
    rules: ['D14', 'D15', 'VAL-05'],
    title: 'Unpaid, a body over 1 MiB is answered 400',
    fix: 'Count the body while it comes and stop at 1 MiB.',
    needs: NEEDS.asksForPayment,
    async run(context) {
      const body = ' '.repeat(MAX_BODY_BYTES + 1)
      expectFailure(
        await context.send({ method: 'POST', path: '/execute', headers: JSON_TYPE, body }),
        400,
        'validation',
        /^body: /,
      )
    },
  },
]

/** Throws a `Mismatch` unless the response is the documented refusal of an unknown capability (D21). */
export async function expectUnknownCapability(
  context: CheckContext,
  reply: Reply,
  capability: unknown,
): Promise<void> {
  const available = (await context.agent()).names.map(escape).join(', ')
  const named = typeof capability === 'string' ? escape(capability) : '.*'
  expectFailure(
    reply,
    400,
    'capability',
    new RegExp(`^Unknown capability "${named}"\\. Available: ${available}$`),
  )
}

function escape(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)
}
