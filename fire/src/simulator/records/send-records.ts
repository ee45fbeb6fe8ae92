import { paymentKey } from '@farebox/payments/authorization/eip-3009'
import type { Network } from '@farebox/payments/networks'
import { decodePaymentHeader } from '@farebox/payments/x402/payment-header'

/** One request to an agent for a job, as its caller sees it. */
export interface Send {
  readonly caller: string
  readonly agent: string
  /** `<agent>/<job_id>`, in lower case. */
  readonly job: string
  /** The payment's key; undefined without a payment, or with an unreadable one. */
  readonly payment: string | undefined
  /** Address of the payer, as the payment states. */
  readonly payer: string | undefined
  /** Unix seconds; 0 without a payment. */
  readonly validBefore: number
  readonly isForged: boolean
  readonly body: string
  readonly header: string | undefined
  readonly sentMs: number
  /** The answer, when the agent sent it, and when the caller received it. */
  seen:
    | { readonly status: number; readonly text: string; readonly saidMs: number; readonly heardMs: number }
    | undefined
  /** When the caller stopped waiting, unanswered. */
  givenUpMs: number | undefined
}

/** Creates the records of all requests of a history. */
export function createSendRecords(nowMs: () => number, network: Network) {
  const sends: Send[] = []
  return {
    begin(request: Pick<Send, 'caller' | 'agent' | 'job' | 'body' | 'header' | 'isForged'>): Send {
      const decoded = request.header === undefined ? undefined : decodePaymentHeader(request.header)
      const { authorization } = decoded?.ok === true ? decoded.payment : {}
      const send: Send = {
        ...request,
        payment: authorization && paymentKey(network, authorization),
        payer: authorization?.from,
        validBefore: Number(authorization?.validBefore ?? 0),
        sentMs: nowMs(),
        seen: undefined,
        givenUpMs: undefined,
      }
      sends.push(send)
      return send
    },
    all: (): readonly Send[] => sends,
  }
}

/** Unix seconds, as in the body. */
export function deadlineOf({ body }: Send): number {
  const { deadline } = JSON.parse(body) as { readonly deadline?: unknown }
  return typeof deadline === 'number' ? deadline : 0
}

export function capabilityOf(body: string): unknown {
  const { task } = JSON.parse(body) as { readonly task?: { readonly capability?: unknown } }
  return task?.capability
}
