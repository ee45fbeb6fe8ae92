import { STRANGER } from '../../trial/local-accounts.ts'
import { brief } from '../../trial/payment-case.ts'
import type { Outcome, UnnumberedCase } from '../../trial/rule-case.ts'
import { ask, type SubjectRequest, type FacilitatorReply } from '../../trial/subject.ts'
import type { Trial } from '../../trial/trial.ts'

type Body = string | Uint8Array<ArrayBuffer>

/** A body that is not a valid request, or that a lenient parser takes for another request. */
function bodyCase(
  sent: string,
  body: Body | ((trial: Trial) => Promise<Body>),
  options?: SubjectRequest,
): UnnumberedCase {
  return {
    sent: `a body: ${sent}`,
    expected: 'a 4xx or a refusal, in JSON, on both routes; no transaction sent',
    needs: ['door'],
    async play(trial) {
      const bytes = typeof body === 'function' ? await body(trial) : body
      const before = await trial.witness.transactionsSent()
      const replies = [
        await ask(trial.subject, '/verify', bytes, options),
        await ask(trial.subject, '/settle', bytes, options),
      ]
      const sentTransactions = (await trial.witness.transactionsSent()) - before
      return checkReplies(replies, sentTransactions)
    },
  }
}

function checkReplies(replies: readonly FacilitatorReply[], transactions: number): Outcome {
  const did = replies.map(({ status }) => `HTTP ${status}`).join(', ')
  const bad = replies.find(
    ({ status, said, body }) =>
      said === 'yes' || said === 'later' || status < 200 || status >= 500 || body === undefined,
  )
  const wrong = bad
    ? `${brief(bad)} (HTTP ${bad.status})`
    : transactions > 0
      ? `${transactions} transaction sent`
      : undefined
  return { did, wrong }
}

/** The text of a valid request with a manual change. */
const text =
  (change: (json: string) => string) =>
  async (trial: Trial): Promise<string> =>
    change(JSON.stringify((await trial.draft()).body))

/** Invalid bodies, sent to both routes. */
export const bodyCases: readonly UnnumberedCase[] = [
  bodyCase('none', ''),
  bodyCase('null', 'null'),
  bodyCase('a list', '[]'),
  bodyCase('a string', '"payment"'),
  bodyCase('an empty object', '{}'),
  bodyCase(
    'half of a good one',
    text(json => json.slice(0, json.length / 2)),
  ),
  bodyCase('bytes that are no UTF-8', new Uint8Array([0xff, 0xfe, 0x00, 0xd8, 0x80])),
  bodyCase(
    'a good one in UTF-16',
    async trial => new Uint8Array(Buffer.from(await text(json => json)(trial), 'utf16le')),
  ),
  bodyCase(
    '70 KB',
    text(json => json.replace('{', `{"padding":"${'x'.repeat(70_000)}",`)),
  ),
  bodyCase('60,000 opening brackets', '['.repeat(60_000)),
  bodyCase(
    'without paymentPayload',
    text(json => json.replace('"paymentPayload"', '"payload"')),
  ),
  bodyCase(
    'without paymentRequirements',
    text(json => json.replace('"paymentRequirements"', '"requirements"')),
  ),
  bodyCase(
    'without a signature',
    text(json => json.replace('"signature"', '"signed"')),
  ),
  bodyCase(
    'without an authorization',
    text(json => json.replace('"authorization"', '"authorisation"')),
  ),
  bodyCase(
    'its fields in __proto__',
    text(json => `{"x402Version":2,"__proto__":${json}}`),
  ),
  bodyCase(
    'with two payTo in the requirements: the good one first, a stranger’s last',
    text(json =>
      json.replace(/("paymentRequirements":\{.*?"payTo":"[^"]+")/, `$1,"payTo":"${STRANGER.address}"`),
    ),
  ),
  bodyCase(
    'a good one said to be gzip',
    text(json => json.slice(1)),
    { headers: { 'content-encoding': 'gzip' } },
  ),
]
