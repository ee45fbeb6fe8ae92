import { randomUUID } from 'node:crypto'
import type { Declaration } from '@farebox/protocol/declaration/declaration'
import { ERROR_STATUS, type ErrorType } from '@farebox/protocol/errors/error-types'
import { serviceError } from '@farebox/protocol/errors/service-errors'
import { systemClock, type Clock } from '@farebox/protocol/time/clock'
import type { InferCallerInput, InferOutput } from '@farebox/protocol/translation/infer'
import { SERVICE_VERSION } from '@farebox/protocol/version'
import { createAgent, type Agent, type AgentOptions } from '../agent/create-agent.ts'
import { createMemoryStore } from '../jobs/memory-store.ts'
import { createLog } from '../log.ts'

/** A wallet that is not used: in dev mode nothing is paid. */
const TEST_WALLET = '0x00000000000000000000000000000000000fa4e0'

/** The options of a test agent. */
export interface TestAgentOptions<D extends Declaration> {
  readonly declaration: D
  readonly handlers: AgentOptions<D>['handlers']
  /** Default: the machine's clock. */
  readonly clock?: Clock
}

/** An agent for tests of its handlers: in dev mode, without a socket, with nothing on disk. */
export interface TestAgent<D extends Declaration> {
  /**
   * Runs one job and resolves to its output, with every step between caller and handler: coercion, defaults, deadline,
   * output check.
   *
   * Throws the typed error that the caller would get: a `ValidationError` for a refused input or one thrown by the
   * handler, a `DeadlineError`, a `CapabilityError`, or an `InternalError` with the generic message.
   */
  call<Name extends CapabilityName<D>>(
    capability: Name,
    input: InferCallerInput<D['capabilities'][Name]['input_schema']>,
    options?: CallOptions,
  ): Promise<InferOutput<D['capabilities'][Name]['output_schema']>>
  /** Answers one web-standard request, for tests of the HTTP layer. */
  fetch(request: Request): Promise<Response>
  /** The log so far, one line per entry. */
  logs(): readonly string[]
  close(): Promise<void>
}

/** The names of a declaration's capabilities. */
export type CapabilityName<D extends Declaration> = keyof D['capabilities'] & string

/** Options of one call. */
export interface CallOptions {
  /** Default: a new one for each call. Repeating a job_id returns the stored response (D22). */
  readonly jobId?: string
  /** Unix seconds; default: `max_deadline_seconds` from now. */
  readonly deadline?: number
}

/**
 * Makes an agent that is called directly.
 *
 * @example
 * ```ts
 * import { readConfig } from 'farebox'
 * import { createTestAgent } from 'farebox/testing'
 *
 * const agent = createTestAgent({
 *   declaration: await readConfig('agent.json'),
 *   handlers: new URL('./handlers.js', import.meta.url),
 * })
 * console.log(await agent.call('count', { text: 'one two' })) // { words: 2 }
 * await agent.close()
 * ```
 */
export function createTestAgent<const D extends Declaration>(options: TestAgentOptions<D>): TestAgent<D> {
  const { declaration, handlers, clock = systemClock } = options
  const lines: string[] = []
  const log = createLog({
    format: 'text',
    write: text => lines.push(...text.trimEnd().split('\n')),
    nowMs: () => clock.nowMs(),
  })
  const store = createMemoryStore(clock)
  const jobStore = {
    store,
    accounts: store,
    name: 'memory:',
    shared: false,
    close: () => Promise.resolve(),
  }
  const variables = { SERVICE_DEV_MODE: 'true', AGENT_WALLET_ADDRESS: TEST_WALLET }
  const started: Promise<Agent> = createAgent({
    declaration,
    handlers,
    variables,
    ports: { clock, log, jobStore },
  })
  // A declaration that cannot be served must fail the first call, not the process.
  started.catch(() => undefined)
  return {
    async call(capability, input, { jobId = randomUUID(), deadline } = {}) {
      const agent = await started
      const response = await agent.fetch(
        executeRequest({
          service_version: SERVICE_VERSION,
          job_id: jobId,
          task: { capability, input },
          deadline: deadline ?? clock.nowMs() / 1_000 + declaration.max_deadline_seconds,
        }),
      )
      // In dev mode an invalid output passes unchanged, so the value may not match its type.
      return readOutput(response.status, await response.json()) as InferOutput<
        D['capabilities'][typeof capability]['output_schema']
      >
    },
    fetch: async request => (await started).fetch(request),
    logs() {
      log.flush()
      return lines
    },
    close: async () => (await started).close(),
  }
}

function executeRequest(body: object): Request {
  const headers = { 'content-type': 'application/json' }
  return new Request('http://test-agent/execute', { method: 'POST', headers, body: JSON.stringify(body) })
}

/** Returns the output of a 200; throws the typed error of any other response. */
function readOutput(status: number, body: unknown): unknown {
  const { output, error_type, error } = body as { readonly [key: string]: unknown }
  if (status === 200) return output
  const type = typeof error_type === 'string' && isErrorType(error_type) ? error_type : 'internal'
  throw serviceError(type, typeof error === 'string' ? error : `answered ${status}`)
}

function isErrorType(value: string): value is ErrorType {
  return Object.hasOwn(ERROR_STATUS, value)
}
