import { paymentKey, type Authorization } from '@farebox/payments/authorization/eip-3009'
import type { Network } from '@farebox/payments/networks'
import { decodePaymentHeader } from '@farebox/payments/x402/payment-header'

/** What a caller was told. */
export interface SeenAnswer {
  readonly status: number
  readonly text: string
  /** Value of `PAYMENT-RESPONSE`; empty where there was none. */
  readonly paymentResponse: string
  /** When the agent said it, which is before it was heard. */
  readonly saidMs: number
  readonly heardMs: number
}

/** One request to an agent for a job, as its caller sees it. */
export interface Send {
  readonly caller: string
  readonly agent: string
  /** `<agent>/<job_id>`, in lower case. */
  readonly job: string
  /** The payment's key; undefined where none came with it, or none that could be read. */
  readonly payment: string | undefined
  /** Address of who pays, by the payment's own word. */
  readonly payer: string | undefined
  /** Unix seconds; 0 where there is no payment. */
  readonly validBefore: number
  readonly isForged: boolean
  readonly body: string
  readonly header: string | undefined
  readonly sentMs: number
  /** When it arrived at an agent: more than once where the network doubled it. */
  readonly arrivedMs: number[]
  seen: SeenAnswer | undefined
  /** When the caller stopped waiting, unanswered. */
  givenUpMs: number | undefined
}

/** All requests of a history. */
export interface SendRecords {
  begin(request: Pick<Send, 'caller' | 'agent' | 'job' | 'body' | 'header' | 'isForged'>): Send
  all(): readonly Send[]
}

/** Makes the records. */
export function createSendRecords(nowMs: () => number, network: Network): SendRecords {
  const sends: Send[] = []
  const readHeader = createHeaderReader(network)
  return {
    begin(request) {
      const send: Send = {
        ...request,
        ...readHeader(request.header),
        sentMs: nowMs(),
        arrivedMs: [],
        seen: undefined,
        givenUpMs: undefined,
      }
      sends.push(send)
      return send
    },
    all: () => sends,
  }
}

/** Unix seconds, as the body has it. */
export function deadlineOf({ body }: Send): number {
  const { deadline } = JSON.parse(body) as { readonly deadline?: unknown }
  return typeof deadline === 'number' ? deadline : 0
}

/** Of a request's body. */
export function capabilityOf(body: string): unknown {
  const { task } = JSON.parse(body) as { readonly task?: { readonly capability?: unknown } }
  return task?.capability
}

type Named = Pick<Send, 'payment' | 'payer' | 'validBefore'>

const NOTHING: Named = { payment: undefined, payer: undefined, validBefore: 0 }

function createHeaderReader(network: Network): (header: string | undefined) => Named {
  const known = new Map<string, Named>()
  return header => {
    if (header === undefined) return NOTHING
    const read = known.get(header)
    if (read !== undefined) return read
    const decoded = decodePaymentHeader(header)
    const named = decoded.ok ? nameOf(decoded.payment.authorization) : NOTHING
    known.set(header, named)
    return named
  }

  function nameOf(authorization: Authorization): Named {
    return {
      payment: paymentKey(network, authorization),
      payer: authorization.from,
      validBefore: Number(authorization.validBefore),
    }
  }
}
