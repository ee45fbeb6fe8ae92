import { paymentRequiredHeader } from '@farebox/payments/requirement'
import { NO_STORE, type Answer } from '../http/answer.ts'
import type { ArrivedRequest } from './arrived-request.ts'
import { chooseCapability } from './job-order.ts'
import { parseJson } from './parse-body.ts'
import type { Payments, ServedCapability, Service } from './service.ts'

/**
 * The 402 that asks for a payment (D2, D3, D14): for the capability the body names, else for the first; whatever
 * else is wrong with the body, a price is the answer. Throws a `CapabilityError` where it names an unknown one.
 */
export function askForPayment(service: Service, payments: Payments, arrived: ArrivedRequest): Answer {
  const capability = chooseCapability(service, namedTask(parseJson(arrived.body)))
  return {
    status: 402,
    headers: {
      ...NO_STORE,
      'payment-required': demandHeader(capability, payments.executeUrl ?? arrived.calledUrl),
    },
    body: capability.demand,
  }
}

/** The last header made for each capability: it changes only with the URL the agent is called at. */
const LAST_HEADERS = new WeakMap<ServedCapability, { readonly url: string; readonly header: string }>()

function demandHeader(capability: ServedCapability, url: string): string {
  const last = LAST_HEADERS.get(capability)
  if (last?.url === url) return last.header
  const header = paymentRequiredHeader(capability.requirement, {
    url,
    capability: capability.name,
    description: capability.description,
  })
  LAST_HEADERS.set(capability, { url, header })
  return header
}

function namedTask(body: unknown): { readonly capability?: unknown } {
  if (typeof body !== 'object' || body === null || !Object.hasOwn(body, 'task')) return {}
  const { task } = body as { readonly task: unknown }
  if (typeof task !== 'object' || task === null || Array.isArray(task) || !Object.hasOwn(task, 'capability'))
    return {}
  return { capability: (task as { readonly capability: unknown }).capability }
}
