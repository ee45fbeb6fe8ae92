// A worker of DBOS that does the same flow on the same stubs. In its best light: one durable step for each job, which asks
// the price, sends the job and proves the charge. All three may be done again after a crash, and change nothing then.

import { DBOS } from '@dbos-inc/dbos-sdk'
import { readQuote } from '@farebox/client/attempt/read-quote'
import { readOutcome } from '@farebox/client/internal/attempt/read-outcome'
import { readSettlement } from '@farebox/client/internal/attempt/read-settlement'
import type { Answer } from '@farebox/client/internal/exchange/exchange'
import { NETWORK } from '../stage/sign-jobs.ts'
import { DBOS_APP, DBOS_QUEUE, DBOS_WORKFLOW } from './dbos-names.ts'
import { answerPaid, DECLARATION, PRICE_ANSWER, provesCharge, type StubAnswer } from './stub-world.ts'
import type { StepPayment } from './three-steps.ts'
import { workWhenTold } from './worker-messages.ts'

async function payJob({ job_id: jobId, payment }: StepPayment, text: string): Promise<string> {
  const quote = readQuote(asAnswer(PRICE_ANSWER), {
    declaration: DECLARATION,
    capability: 'shout',
    networks: [NETWORK.id],
  })
  if (quote.amountAtomic === 0n) throw new Error('it is free')
  const task = { capability: 'shout', input: { text } }
  const deadline = Math.floor(Date.now() / 1_000) + 30
  const request = JSON.stringify({ service_version: '1.0', job_id: jobId, task, deadline })
  const answer = asAnswer(answerPaid(request, payment))
  const outcome = readOutcome(answer, jobId)
  const settlement = readSettlement(answer.headers)
  if (outcome.kind !== 'completed' || settlement === undefined) throw new Error('the job was not done')
  if (!provesCharge(payment, settlement.transaction)) throw new Error('the job was not charged')
  return await Promise.resolve(String(outcome.output['text']))
}

function asAnswer({ status, headers, body }: StubAnswer): Answer {
  return { status, headers: new Headers(headers), text: body, json: JSON.parse(body), flaw: undefined }
}

async function threeSteps(payments: readonly StepPayment[], input: string): Promise<string> {
  let text = input
  for (const payment of payments) {
    const given = text
    text = await DBOS.runStep(() => payJob(payment, given), { name: payment.key })
  }
  return text
}

DBOS.registerWorkflow(threeSteps, { name: DBOS_WORKFLOW })
DBOS.setConfig({
  name: DBOS_APP,
  systemDatabaseUrl: process.env['DATABASE_URL'] ?? '',
  systemDatabaseSchemaName: process.env['DATABASE_SCHEMA'] ?? '',
  applicationVersion: '1',
  // The same for the process that takes the place of one that died: it takes up its workflows then.
  executorID: `worker-${process.env['WORKER'] ?? ''}`,
  logLevel: 'error',
})

await DBOS.launch()
await workWhenTold({
  // Nothing is taken before there is the queue. Each takes as many at a time as a worker of ours.
  async begin() {
    await DBOS.registerQueue(DBOS_QUEUE, { workerConcurrency: 32, minPollingIntervalMs: 100 })
  },
  // The queue is deleted before there is more to take.
  rest: () => Promise.resolve(),
  stop: () => DBOS.shutdown(),
})
