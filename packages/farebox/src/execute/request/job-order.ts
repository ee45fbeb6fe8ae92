import { CapabilityError, ValidationError } from '@farebox/protocol/errors/service-errors'
import type { JsonObject } from '@farebox/protocol/fields/field'
import type { Trace } from '@farebox/protocol/internal/trace/traceparent'
import { jobIdKey, readJobRequest, type JobRequest } from '@farebox/protocol/job/job-request'
import type { ArrivedRequest } from './arrived-request.ts'
import { parseBody } from './parse-body.ts'
import type { CallOrigin } from '../../handler/job-hiring.ts'
import type { ServedCapability } from '../../handler/served-capability.ts'
import type { TracedJob } from '../../tracing/job-traces.ts'
import type { Service } from '../service/service.ts'
import { withoutStack } from './without-stack.ts'

/** A requested job: its shape is checked and its capability found; its input and its payment are not checked yet. */
export interface JobOrder {
  /** As the caller sent it. */
  readonly jobId: string
  /** The key of the job in the store: specific to this agent, and equal for both spellings of a job_id. */
  readonly jobKey: string
  readonly capability: ServedCapability
  /** Returns the input as sent; the input of a large body is parsed again. */
  readonly readInput: () => JsonObject
  /** The size of the whole request body, which bounds how long its input may take to check. */
  readonly bodyBytes: number
  /** Unix seconds, as requested. */
  readonly deadline: number
  readonly origin: CallOrigin
  /** What the log lines of this request carry. */
  readonly traced: TracedJob
}

/**
 * A parsed body may need twenty times its size in memory, and an order may wait long for verification and for other
 * runs, so of larger bodies only the bytes are kept.
 */
const KEPT_PARSED_BYTES = 4_096

/** Reads the order from the body. Throws a `ValidationError`, then a `CapabilityError` (D14). */
export function readJobOrder(service: Service, arrived: ArrivedRequest, trace: Trace): JobOrder {
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
    origin: { hirePath: arrived.origin?.hirePath, trace },
    traced: { trace: trace.id, key: undefined },
  }
}

function keep(input: JsonObject): () => JsonObject {
  return () => input
}

/**
 * Parses the body again, which was valid before. A separate function, so that the closure keeps only the body alive.
 */
function readAgain(body: Buffer): () => JsonObject {
  return () => (JSON.parse(body.toString('utf8')) as JobRequest).task.input
}

/** The capability that a task names, or the first declared one when it names none. Throws a `CapabilityError`. */
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
 * The prefix of this agent's jobs in the store. Agents may share a store and a wallet, so it has the agent's name and
 * URL. It also has the network, so that jobs paid in test money, in real money and in dev mode are separate.
 */
export function agentKey({ declaration, payments }: Pick<Service, 'declaration' | 'payments'>): string {
  const { name, wallet } = declaration
  return `${payments?.networkId ?? 'dev'} ${wallet.toLowerCase()} ${payments?.executeUrl ?? ''} ${name}`
}

/** Whether a job belongs to this agent. A name may contain a slash, a job_id never does. */
export function isOwnJob(service: Pick<Service, 'declaration' | 'payments'>, jobKey: string): boolean {
  return jobKey.slice(0, jobKey.lastIndexOf('/')) === agentKey(service)
}

function shorten(name: string): string {
  return name.length > 100 ? `${name.slice(0, 100)}…` : name
}
