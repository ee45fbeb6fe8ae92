import { randomUUID } from 'node:crypto'
import type { AgentMode } from '../check/agent-mode.ts'
import { EMPTY_PAYMENT } from '../check/forge-payment.ts'
import { sendRequest, type Reply, type RequestSending } from '../exchange/send-request.ts'

/**
 * Detects how an agent accepts jobs, with two requests that cannot become a job. The agent counts as paid unless its
 * responses say otherwise; the checks of the 402 response then report what is wrong.
 */
export async function detectMode(sending: RequestSending): Promise<AgentMode> {
  sending.timeout.renew()
  const unpaid = await ask(sending, {}, {})
  // In dev mode the first fault is the body; in all other modes it is the payment (D14).
  if (unpaid?.status === 400) return 'dev'
  sending.timeout.renew()
  const body = { service_version: '1.0', job_id: randomUUID(), task: { input: {} }, deadline: 0 }
  const paid = await ask(sending, body, { 'payment-signature': EMPTY_PAYMENT })
  // An agent without its secret reports that before it reads the header (D14).
  return paid?.status === 401 ? 'locked' : 'paid'
}

async function ask(
  sending: RequestSending,
  body: object,
  headers: { [name: string]: string },
): Promise<Reply | undefined> {
  try {
    return await sendRequest(sending, {
      method: 'POST',
      path: '/execute',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    })
  } catch {
    sending.signal.throwIfAborted()
    return undefined
  }
}
