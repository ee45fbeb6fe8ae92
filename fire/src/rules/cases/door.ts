import { randomUUID } from 'node:crypto'
import { TEST_KEYS } from '@farebox/local/chain/test-keys'
import { brief, paymentCase } from '../payment-case.ts'
import type { Outcome, UnnumberedCase } from '../rule-case.ts'
import { ask, type AskOptions, type Told } from '../subject.ts'
import type { Trial } from '../trial.ts'

type Body = string | Uint8Array<ArrayBuffer>

/** A body that is no request, or one that a careless reader takes for another. */
function bodyCase(
  sent: string,
  body: Body | ((trial: Trial) => Promise<Body>),
  options?: AskOptions,
): UnnumberedCase {
  return {
    sent: `a body: ${sent}`,
    expected: 'a 4xx or a refusal, in JSON, on both routes; no transaction sent',
    needs: ['door'],
    async play(trial) {
      const bytes = typeof body === 'function' ? await body(trial) : body
      const before = await trial.witness.transactionsSent()
      const told = [
        await ask(trial.subject, '/verify', bytes, options),
        await ask(trial.subject, '/settle', bytes, options),
      ]
      const sentTransactions = (await trial.witness.transactionsSent()) - before
      return judgeDoor(told, sentTransactions)
    },
  }
}

function judgeDoor(told: readonly Told[], transactions: number): Outcome {
  const did = told.map(({ status }) => `HTTP ${status}`).join(', ')
  const bad = told.find(
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

/** The text of a good request, with a change by hand. */
const text =
  (change: (json: string) => string) =>
  async (trial: Trial): Promise<string> =>
    change(JSON.stringify((await trial.draft()).body))

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
      json.replace(
        /("paymentRequirements":\{.*?"payTo":"[^"]+")/,
        `$1,"payTo":"${TEST_KEYS.stranger.address}"`,
      ),
    ),
  ),
  bodyCase(
    'a good one said to be gzip',
    text(json => json.slice(1)),
    { headers: { 'content-encoding': 'gzip' } },
  ),
]

/** Whom a secret lets in. */
function callerCase(
  sent: string,
  options: (trial: Trial) => Promise<AskOptions> | AskOptions,
): UnnumberedCase {
  return {
    sent: `a good payment with ${sent}`,
    expected: '401 or 403 on both routes, no transaction sent',
    needs: ['secrets'],
    async play(trial) {
      const draft = await trial.draft()
      const sentAs = await options(trial)
      const before = await trial.witness.transactionsSent()
      const told = [await trial.verify(draft, sentAs), await trial.settle(draft, sentAs)]
      const transactions = (await trial.witness.transactionsSent()) - before
      const bad = told.find(({ status }) => status !== 401 && status !== 403)
      return {
        did: told.map(({ status }) => `HTTP ${status}`).join(', '),
        wrong: bad
          ? `${brief(bad)} (HTTP ${bad.status})`
          : transactions > 0
            ? 'a transaction was sent'
            : undefined,
      }
    },
  }
}

const bearer = (secret: string): AskOptions => ({ authorization: `Bearer ${secret}` })

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
    const made = await makeSecret(trial, [trial.subject.payTo])
    await trial.verify(await trial.draft(), bearer(made.secret))
    await administer(trial, 'DELETE', `/secrets/${made.id}`)
    await new Promise(resolve => {
      setTimeout(resolve, 5_000)
    })
    return bearer(made.secret)
  }),
  callerCase('the secret of another owner, who does not own the wallet that is paid', async trial =>
    bearer((await makeSecret(trial, [TEST_KEYS.thirdAgent.address])).secret),
  ),
  callerCase('the administration’s token', ({ subject }) => bearer(subject.adminToken ?? '')),
  paymentCase({
    sent: 'a good payment to a wallet that the secret does not own, everything else agreeing',
    expected: 'refused',
    needs: ['secrets'],
    change: draft => {
      const payTo = TEST_KEYS.stranger.address.toLowerCase()
      draft.terms({ payTo })
      draft.sign({ to: payTo })
    },
  }),
  {
    sent: 'a payment verified with one owner’s secret, settled with another’s who shares the wallet',
    expected: 'refused, no transaction sent',
    needs: ['secrets'],
    async play(trial) {
      const other = await makeSecret(trial, [trial.subject.payTo])
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
  {
    sent: 'a hold of one owner, released with another’s secret, then settled by the first',
    expected: 'not released, and settled',
    needs: ['secrets', 'holds'],
    async play(trial) {
      const other = await makeSecret(trial, [trial.subject.payTo])
      const draft = await trial.draft()
      const verified = await trial.verify(draft)
      const holdId = /"holdId":"([^"]+)"/.exec(verified.text)?.[1] ?? ''
      const released = await ask(trial.subject, '/release', { holdId }, bearer(other.secret))
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
      const verified = await trial.verify(draft)
      const holdId = /"holdId":"([^"]+)"/.exec(verified.text)?.[1] ?? ''
      const released = await ask(trial.subject, '/release', { holdId })
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
  {
    sent: 'the list of an owner’s secrets',
    expected: 'ids and wallets; not the secret, nor its hash',
    needs: ['secrets'],
    async play(trial) {
      const made = await makeSecret(trial, [trial.subject.payTo])
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

/** A secret of an owner of its own. */
async function makeSecret(
  trial: Trial,
  wallets: readonly string[],
): Promise<{ readonly id: string; readonly secret: string; readonly owner: string }> {
  const owner = `rules ${randomUUID()}`
  const { text } = await administer(trial, 'POST', '/secrets', { owner, wallets })
  const made = JSON.parse(text) as { id: string; secret: string }
  return { ...made, owner }
}

async function administer(
  { subject }: Trial,
  method: string,
  path: string,
  body?: object,
): Promise<{ readonly status: number; readonly text: string }> {
  const answer = await fetch(subject.url + path, {
    method,
    headers: { authorization: `Bearer ${subject.adminToken ?? ''}` },
    ...(body && { body: JSON.stringify(body) }),
  })
  return { status: answer.status, text: await answer.text() }
}
