import { SPEND_EXTENSION } from '@farebox/payments/internal/x402/spender-extension'
import { paymentRequiredHeader } from '@farebox/payments/x402/requirement'
import { NO_STORE, type Answer } from '../../answer/answer.ts'
import type { ArrivedRequest } from './arrived-request.ts'
import { orderedCapability } from './job-order.ts'
import { parseBodyJson } from './parse-body.ts'
import type { ServedCapability } from '../../handler/served-capability.ts'
import type { Payments, Service } from '../service/service.ts'

/**
 * The 402 that asks for a payment (D2, D3, D14), for the capability that the body names, or for the first one. Any
 * other fault of the body is ignored. Throws a `CapabilityError` when the body names an unknown capability.
 */
export function askForPayment(service: Service, payments: Payments, arrived: ArrivedRequest): Answer {
  const capability = orderedCapability(service, namedTask(parseBodyJson(arrived.body)))
  const url = payments.executeUrl ?? arrived.calledUrl
  const last = LAST_ANSWERS.get(capability)
  if (last?.url === url) return last.answer
  const answer = writeAnswer(service, capability, url)
  LAST_ANSWERS.set(capability, { url, answer })
  return answer
}

/** The last answer for each capability, which changes only with the URL that the agent is called at. */
const LAST_ANSWERS = new WeakMap<ServedCapability, { readonly url: string; readonly answer: Answer }>()

function writeAnswer(
  { declaration, spending }: Service,
  { requirement, name, description, demand }: ServedCapability,
  url: string,
): Answer {
  const spends = (declaration.capabilities[name]?.permissions ?? []).length > 0
  const header = paymentRequiredHeader(requirement, {
    url,
    capability: name,
    description,
    ...(spends && spending.identity && { extensions: { [SPEND_EXTENSION]: [spending.identity] } }),
  })
  return {
    status: 402,
    headers: { ...NO_STORE, 'payment-required': header },
    body: demand,
    bodyBytes: Buffer.byteLength(demand),
  }
}

function namedTask(body: unknown): { readonly capability?: unknown } {
  if (typeof body !== 'object' || body === null || !Object.hasOwn(body, 'task')) return {}
  const { task } = body as { readonly task: unknown }
  if (typeof task !== 'object' || task === null || Array.isArray(task) || !Object.hasOwn(task, 'capability'))
    return {}
  return { capability: (task as { readonly capability: unknown }).capability }
}
