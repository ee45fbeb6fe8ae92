import { setTimeout as delay } from 'node:timers/promises'
import {
  SETTLEMENT_PENDING,
  type SettleResponse,
  type VerifyResponse,
} from '@farebox/payments/x402/facilitator-api'
import { Client } from 'undici'
import type { SignedPayment } from './signed-payments.ts'

/** Calls a facilitator as agents do, on keep-alive connections, one for each concurrent request. */
export interface FacilitatorCalls {
  /**
   * Opens a number of connections, a few at a time: the system drops some of thousands that arrive at one moment, and
   * they notice after a minute.
   */
  connect(count: number): Promise<void>
  /** Rejects if the payment is not held. */
  verify(payment: SignedPayment): Promise<void>
  /**
   * Resolves to the hash of the transaction. Asks again while the answer is "not known yet", after the same pauses as
   * agents. Rejects if the payment failed, and once `endMs` of `performance.now()` has passed.
   */
  settle(payment: SignedPayment, endMs: number): Promise<string>
  close(): Promise<void>
}

const ANSWER_TIMEOUT_MS = 120_000
const CONNECTING_AT_ONCE = 64
const FIRST_RETRY_MS = 200
const SLOWEST_RETRY_MS = 5_000

/** `secretOf` is the secret of the owner of a paid wallet; undefined if the facilitator needs none. */
export function createFacilitatorCalls(
  url: string,
  secretOf: (payee: string) => string | undefined,
): FacilitatorCalls {
  const idle: Client[] = []
  const all: Client[] = []

  async function post(path: string, { authorization, body: sent }: SignedPayment): Promise<Answer> {
    const client = idle.pop() ?? open()
    const secret = secretOf(authorization.to)
    const { statusCode, body } = await client.request({
      method: 'POST',
      path,
      headers: {
        'content-type': 'application/json',
        ...(secret !== undefined && { authorization: `Bearer ${secret}` }),
      },
      body: sent,
    })
    const text = await body.text()
    idle.push(client)
    return { status: statusCode, text }
  }

  function open(): Client {
    const timeouts = { headersTimeout: ANSWER_TIMEOUT_MS, bodyTimeout: ANSWER_TIMEOUT_MS }
    const client = new Client(url, { pipelining: 1, ...timeouts })
    all.push(client)
    return client
  }

  async function connectOne(): Promise<void> {
    const client = open()
    const { body } = await client.request({ method: 'GET', path: '/health' })
    await body.dump()
    idle.push(client)
  }

  return {
    async connect(count) {
      while (all.length < count) {
        const some = Math.min(CONNECTING_AT_ONCE, count - all.length)
        await Promise.all(Array.from({ length: some }, connectOne))
      }
    },
    async verify(payment) {
      const answer = await post('/verify', payment)
      const { isValid } = JSON.parse(answer.text) as Partial<VerifyResponse>
      if (answer.status !== 200 || isValid !== true) throw wrong('/verify', answer)
    },
    async settle(payment, endMs) {
      for (let retryMs = FIRST_RETRY_MS; ; retryMs = Math.min(2 * retryMs, SLOWEST_RETRY_MS)) {
        const answer = await post('/settle', payment)
        const { success, errorReason, transaction } = JSON.parse(answer.text) as Partial<SettleResponse>
        if (answer.status === 200 && success === true && transaction !== undefined) {
          return transaction.toLowerCase()
        }
        const isUnknown = answer.status >= 500 || errorReason === SETTLEMENT_PENDING
        if (!isUnknown) throw wrong('/settle', answer)
        if (performance.now() + retryMs > endMs) throw wrong('/settle, in the end', answer)
        await delay(retryMs)
      }
    },
    async close() {
      await Promise.all(all.splice(0).map(client => client.destroy()))
    },
  }
}

interface Answer {
  readonly status: number
  readonly text: string
}

function wrong(path: string, { status, text }: Answer): Error {
  return new Error(`${path} answered HTTP ${status} ${text.slice(0, 400)}`)
}
