import { randomUUID } from 'node:crypto'
import { jobBody, signFor } from '../../../e2e/stage/pay.ts'
import { BETRAYING_WORK } from './betraying-agent.ts'
import { BETRAYALS } from './hostile-facilitator.ts'
import type { SecretStage, WatchedAgent } from './secret-stage.ts'

/** Sends jobs by which secrets could travel; every answer is scanned. Resolves to how many were sent. */
export async function playJobs(set: SecretStage, signal: AbortSignal): Promise<number> {
  const sent = await Promise.all([
    sendAll(set, set.believer, signal),
    sendAll(set, set.doubter, signal),
    ...BETRAYING_WORK.map(how => sendFree(set, how)),
  ])
  return sent.reduce((sum, count) => sum + count, 0)
}

async function sendAll(set: SecretStage, agent: WatchedAgent, signal: AbortSignal): Promise<number> {
  let sent = 0
  for (const how of BETRAYING_WORK) sent += await sendPaid(set, agent, { how })
  for (const { path, betray } of BETRAYALS) {
    if (signal.aborted) return sent
    agent.facilitator.behave(path, betray)
    // A settlement that is not known is asked for again and again: what the facilitator says then is logged each time.
    sent += await sendPaid(set, agent, { how: 'answer' }, 1_500)
    agent.facilitator.behave(path, undefined)
  }
  agent.facilitator.behave('/release', said => ({ status: 500, text: said }))
  sent += await sendPaid(set, agent, { how: 'throw message' })
  agent.facilitator.behave('/release', undefined)
  return sent + (await sendMisplaced(set, agent))
}

async function sendPaid(
  set: SecretStage,
  agent: WatchedAgent,
  input: object,
  timeoutMs = 10_000,
): Promise<number> {
  const jobId = randomUUID()
  const header = await payFor(set, agent, jobId)
  const answer = await post(
    agent.process.url,
    jobBody(jobId, input),
    { 'payment-signature': header },
    timeoutMs,
  )
  set.scan.read(`answer of the ${agent.wallet === set.believer.wallet ? 'believer' : 'doubter'}`, answer)
  return 1
}

/** A payment whose signature and salt the scan knows. */
async function payFor(
  { stage, scan, planted }: SecretStage,
  agent: WatchedAgent,
  jobId: string,
): Promise<string> {
  const header = await signFor(stage, {
    payTo: agent.wallet,
    price: '0.01',
    payerKey: planted.payerKey,
    boundTo: { endpoint: `${agent.process.url}/execute`, capability: 'work', jobId },
  })
  const { payload, extensions } = JSON.parse(Buffer.from(header, 'base64').toString()) as {
    readonly payload: { readonly signature: string }
    readonly extensions?: unknown
  }
  scan.plant('signature of a payment', payload.signature)
  for (const [salt] of JSON.stringify(extensions ?? {}).matchAll(/0x[0-9a-f]{32}(?![0-9a-f])/g))
    scan.plant('salt of a payment', salt)
  return header
}

/**
 * A payer's own secrets where they do not belong. What the caller is answered is its own to read, the logs are not: they
 * alone are scanned.
 */
async function sendMisplaced(set: SecretStage, agent: WatchedAgent): Promise<number> {
  const jobId = randomUUID()
  const header = await payFor(set, agent, jobId)
  const { signature } = (
    JSON.parse(Buffer.from(header, 'base64').toString()) as {
      readonly payload: { readonly signature: string }
    }
  ).payload
  const deep = { a: { b: { c: { d: { e: header, [signature]: signature } } } } }
  const paid = { 'payment-signature': header }
  const url = agent.process.url
  const free = (fields: object): string =>
    JSON.stringify({ ...JSON.parse(jobBody(jobId, { how: 'answer' })), ...fields })
  const requests: readonly (readonly [string, string, { readonly [name: string]: string }])[] = [
    [url, jobBody(jobId, { how: signature }), paid],
    [url, jobBody(jobId, { how: 'answer', nested: deep }), paid],
    [url, jobBody(jobId, deep, { capability: signature }), paid],
    [url, jobBody(jobId, deep, { capability: header }), {}],
    [url, free({ job_id: signature }), paid],
    [url, free({ service_version: header }), paid],
    [url, free({ deadline: signature }), paid],
    [url, free({ task: header }), paid],
    [url, `{"task":"${header}`, paid],
    [url, signature, paid],
    [url, jobBody(jobId, { how: 'answer' }), { 'payment-signature': `${header}x` }],
    [url, jobBody(jobId, { how: 'answer' }), { 'payment-signature': signature }],
    [url, jobBody(jobId, { how: 'answer' }), { ...paid, 'x-payment': header }],
    [
      url,
      jobBody(jobId, { how: 'answer' }),
      { authorization: `Bearer ${header}`, cookie: `pay=${signature}` },
    ],
    [`${url}/${signature}?payment=${encodeURIComponent(header)}`, '', {}],
  ]
  for (const [to, body, headers] of requests) await post(to, body, headers, 10_000)
  return requests.length
}

async function sendFree({ free, scan }: SecretStage, how: (typeof BETRAYING_WORK)[number]): Promise<number> {
  const answer = await post(free.url, jobBody(randomUUID(), { how }), {}, 10_000)
  // In dev mode an output goes out as the handler made it: its words are its author's.
  if (!how.startsWith('answer ')) scan.read('answer of the free agent', answer)
  return 1
}

/** Status, headers and body as text; that none came is as good. */
async function post(
  url: string,
  body: string,
  headers: { readonly [name: string]: string },
  timeoutMs: number,
): Promise<string> {
  try {
    const answer = await fetch(url.includes('?') ? url : `${url}/execute`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body,
      signal: AbortSignal.timeout(timeoutMs),
    })
    return `${answer.status} ${JSON.stringify([...answer.headers])} ${await answer.text()}\n`
  } catch (error) {
    return `${String(error)}\n`
  }
}
