import { CapabilityError, ValidationError } from '@farebox/protocol/errors/service-errors'
import type { JsonObject } from '@farebox/protocol/fields/field'
import { jobIdKey, readJobRequest, type JobRequest } from '@farebox/protocol/job/job-request'
import type { ArrivedRequest } from './arrived-request.ts'
import { parseBody } from './parse-body.ts'
import type { CallOrigin } from '../../handler/job-hiring.ts'
import type { ServedCapability } from '../../handler/served-capability.ts'
import type { Service } from '../service/service.ts'
import { withoutStack } from './without-stack.ts'

/** A job asked for: its shape checked and its capability found; its input and its payment not looked at yet. */
export interface JobOrder {
  /** As sent. */
  readonly jobId: string
  /** What the job is kept under: this agent's, and the same for both spellings of a job_id. */
  readonly jobKey: string
  readonly capability: ServedCapability
  /** As sent; of a large body it is parsed again. */
  readonly readInput: () => JsonObject
  /** Of the whole request: how long its input may take to check. */
  readonly bodyBytes: number
  /** Unix seconds, as asked. */
  readonly deadline: number
  readonly origin: CallOrigin
}

/**
 * A parsed body can weigh twenty times its bytes, and an order waits for its payment to be verified and for others' runs:
 * of larger bodies only the bytes are kept.
 */
const KEPT_PARSED_BYTES = 4_096

const UNKNOWN_ORIGIN: CallOrigin = { hirePath: undefined, traceparent: undefined }

/** Reads the order out of the body. Throws a `ValidationError`, then a `CapabilityError` (D14). */
export function readJobOrder(service: Service, arrived: ArrivedRequest): JobOrder {
  const { body } = arrived
  const read = readJobRequest(parseBody(arrived))
  if (!read.ok) throw withoutStack(() => new ValidationError(read.field, read.reason))
  const { request } = read
  return {
    jobId: request.job_id,
    jobKey: `${agentKey(service)}/${jobIdKey(request.job_id)}`,
    capability: orderedCapability(service, request.task),
    readInput: body.length <= KEPT_PARSED_BYTES ? keep(request.task.input) : readAgain(body),
    bodyBytes: body.length,
    deadline: request.deadline,
    origin: arrived.origin ?? UNKNOWN_ORIGIN,
  }
}

function keep(input: JsonObject): () => JsonObject {
  return () => input
}

/** Of a body that was read as a job request before. Made here, where nothing else is in reach that it would keep. */
function readAgain(body: Buffer): () => JsonObject {
  return () => (JSON.parse(body.toString('utf8')) as JobRequest).task.input
}

/** The capability a task names, or the first declared where it names none. Throws a `CapabilityError`. */
export function orderedCapability(
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
