import { CapabilityError, ValidationError } from '@farebox/protocol/errors/service-errors'
import type { JsonObject } from '@farebox/protocol/fields/field'
import { jobIdKey, readJobRequest, type JobRequest } from '@farebox/protocol/job/job-request'
import type { ServedCapability } from './served-capability.ts'
import type { Service } from './service.ts'
import { withoutStack } from './without-stack.ts'

/** A job asked for: its shape checked and its capability found; its input and its payment not looked at yet. */
export interface JobOrder {
  /** As sent. */
  readonly jobId: string
  /** What the job is kept under: this agent's, and the same for both spellings of a job_id. */
  readonly jobKey: string
  readonly capability: ServedCapability
  readonly input: JsonObject
  /** Unix seconds, as asked. */
  readonly deadline: number
}

/** Reads the order out of a parsed body. Throws a `ValidationError`, then a `CapabilityError` (D14). */
export function readJobOrder(service: Service, body: unknown): JobOrder {
  const read = readJobRequest(body)
  if (!read.ok) throw withoutStack(() => new ValidationError(read.field, read.reason))
  const { request } = read
  return {
    jobId: request.job_id,
    jobKey: `${agentKey(service)}/${jobIdKey(request.job_id)}`,
    capability: chooseCapability(service, request.task),
    input: request.task.input,
    deadline: request.deadline,
  }
}

/** The capability a task names, or the first declared where it names none. Throws a `CapabilityError`. */
export function chooseCapability(
  service: Service,
  task: Pick<JobRequest['task'], 'capability'>,
): ServedCapability {
  const name = task.capability
  const [first] = service.capabilities.values()
  const chosen =
    name === undefined ? first : typeof name === 'string' ? service.capabilities.get(name) : undefined
  if (chosen !== undefined) return chosen
  const spelled = typeof name === 'string' ? name : (JSON.stringify(name) ?? '')
  const available = [...service.capabilities.keys()].join(', ')
  throw withoutStack(
    () => new CapabilityError(`Unknown capability "${shorten(spelled)}". Available: ${available}`),
  )
}

/**
 * Agents may share a store, and a wallet: a job is one agent's own. One paid in test money is another than one paid
 * in money, or one in dev mode that is not paid at all.
 */
export function agentKey({ declaration, payments }: Pick<Service, 'declaration' | 'payments'>): string {
  const { name, wallet } = declaration
  return `${payments?.networkId ?? 'dev'} ${wallet.toLowerCase()} ${payments?.executeUrl ?? ''} ${name}`
}

/** Is this one of the agent's jobs? A name may hold a slash, a job_id never does. */
export function isOwnJob(service: Pick<Service, 'declaration' | 'payments'>, jobKey: string): boolean {
  return jobKey.slice(0, jobKey.lastIndexOf('/')) === agentKey(service)
}

function shorten(name: string): string {
  return name.length > 100 ? `${name.slice(0, 100)}…` : name
}
