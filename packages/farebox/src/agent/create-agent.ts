import { createTurns, type Turns } from '@farebox/protocol/internal/body/turns'
import { recordSpans } from '@farebox/protocol/internal/trace/record-spans'
import { isThisMachine } from '@farebox/protocol/internal/connection/this-machine'
import { within } from '@farebox/protocol/internal/time/within'
import { loadKeccak } from '@farebox/payments/crypto/evm-crypto'
import type { Declaration } from '@farebox/protocol/declaration/declaration'
import { formatProblem } from '@farebox/protocol/problems/problem'
import { SHUTDOWN_GRACE_SECONDS } from '@farebox/protocol/limits'
import { sleep, steadyClock, systemClock, type Clock } from '@farebox/protocol/time/clock'
import { redactorOf } from '../environment/environment-redactor.ts'
import {
  readEnvironment,
  type Environment,
  type Isolation,
  type Variables,
} from '../environment/read-environment.ts'
import { createAdmission } from '../execute/service/admission.ts'
import type { HandlerHost } from '../handler/handler-host.ts'
import type { Hiring } from '../handler/job-hiring.ts'
import { notDeclared, refuseSpending, type Spending } from '../handler/job-spending.ts'
import { createLeaseKeeper } from '../jobs/renew-leases.ts'
import type { Payments, Service } from '../execute/service/service.ts'
import { createSettlements } from '../settlements/settlements.ts'
import type { AnyHandlers, HandlersOf } from '../handlers.ts'
import { hostHandlers, type HandlersModule } from './host-handlers.ts'
import { createFetchHandler, type FetchHandler } from '../http/fetch-handler.ts'
import { createHttpServer, type HttpServer } from '../http/serve.ts'
import { createServiceRoutes } from '../http/service-routes.ts'
import { createInputChecks, type InputChecks } from '../input-checks/check-inputs.ts'
import { createJobLooks } from '../jobs/job-looks.ts'
import { createJobNotifier } from '../jobs/job-notifier.ts'
import type { OpenJobStore } from '../jobs/job-store.ts'
import { openJobStore } from '../jobs/open-job-store.ts'
import { openHiringOf } from './open-hiring-of.ts'
import { recoverJobs } from '../execute/recover-jobs.ts'
import { createGraceEnd, type GraceEnd } from '../grace-end.ts'
import { createLog, type Log } from '../log.ts'
import { createJobTraces, type JobTraces } from '../tracing/job-traces.ts'
import { traceLog } from '../tracing/traced-log.ts'
import type { MetricsRecorder, OpenMetricsServer } from '../metrics/agent-metrics.ts'
import { openMetricsServer, openRecorder } from '../scrape/open-recorder.ts'
import { openPayments } from './open-payments.ts'
import type { PaymentGate } from '../payment-gate/payment-gate.ts'
import { serveCapabilities, servedDeclaration } from './serve-declaration.ts'

/** The options of {@link createAgent}. */
export interface AgentOptions<D extends Declaration> {
  /** From `defineAgent`, or from `readConfig` of an `agent.json`. It is checked here again. */
  readonly declaration: D
  /** The functions themselves, or the module that exports them by default, as a URL or a path. */
  readonly handlers: HandlersOf<D> | (Declaration extends D ? AnyHandlers : never) | HandlersModule
  /**
   * `worker`: handlers run in separate processes, so that a handler that blocks or crashes harms only its own job. The
   * handlers must then be given as a module. Default: `SERVICE_ISOLATION`.
   */
  readonly isolation?: Isolation
  /** Default: `process.env`. They are read once, when the agent is created. */
  readonly variables?: Variables
  /** Replacements for external services, for tests, simulators and custom implementations. */
  readonly ports?: Partial<AgentPorts>
}

/** The external services that an agent uses. */
export interface AgentPorts {
  readonly clock: Clock
  readonly log: Log
  readonly jobStore: OpenJobStore
  readonly paymentGate: PaymentGate
  /** How long a caller waits for a settlement before it is answered 503 pending. */
  readonly settleWaitMs: number
  /** Opens the server for metrics when SERVICE_METRICS_PORT is set; default: `/metrics` and `/ready` on that port. */
  readonly metricsServer: OpenMetricsServer
}

/** An agent. It answers requests given to `fetch`, and listens on a port when `listen` is called. */
export interface Agent {
  /** The declaration as `/about` serves it. */
  readonly declaration: Declaration
  readonly environment: Environment
  /** Answers one web-standard request, without a socket. */
  fetch(request: Request): Promise<Response>
  /** Listens on `port` (0: any free port; default: the environment's `PORT`), and resolves to the port. */
  listen(options?: {
    readonly port?: number
    readonly host?: string
    /**
     * With a loopback host: refuses requests from pages of other hosts, and requests under the name of another host.
     */
    readonly thisMachineOnly?: boolean
  }): Promise<number>
  /**
   * Stops the agent (D32). For SERVICE_DRAIN_SECONDS jobs are still taken, while `/ready` on the metrics port answers
   * 503, so that balancers send them elsewhere. Then new jobs are answered 503, jobs in flight finish, connections close, and settlements with an
   * unknown outcome are left to the next process. Safe to call twice.
   *
   * With `successor: true` another process serves the address from now on: this agent stops listening at once and
   * answers no request with 503. Requests that have already arrived are answered here; later ones go to the successor.
   */
  close(options?: { readonly successor?: boolean }): Promise<void>
}

/**
 * Makes an agent from its declaration and its handlers.
 *
 * Throws a `DeclarationError`, an `EnvironmentError` naming the variable, a `TypeError` for handlers that do not match
 * the declaration, a `HandlersError` for a handlers module that cannot be loaded, or the job store's own error: an
 * agent that could not work does not start.
 *
 * @example
 * ```ts
 * import { createAgent, readConfig } from 'farebox'
 *
 * const agent = await createAgent({
 *   declaration: await readConfig('agent.json'),
 *   handlers: new URL('./handlers.js', import.meta.url),
 * })
 * console.log(await agent.listen({ port: 3001 }))
 * ```
 */
export async function createAgent<const D extends Declaration>(options: AgentOptions<D>): Promise<Agent> {
  const { ports = {} } = options
  const clock = ports.clock ?? systemClock
  const keccak256 = await loadKeccak()
  const variables = options.variables ?? process.env
  const environment = readEnvironment(variables, { keccak256 })
  const traces = createJobTraces()
  const log = traceLog(ports.log ?? openLog(environment, variables, clock), traces)
  const { declaration, warnings } = servedDeclaration(options.declaration, environment.wallet, { keccak256 })
  const closers: (() => Promise<void>)[] = []
  const { service, recorder } = await openService(options, declaration, {
    environment,
    clock,
    log,
    traces,
    closers,
  })
  const routes = createServiceRoutes(service)
  const running: RunningAgent = {
    service,
    server: createHttpServer(routes, clock),
    fetchHandler: createFetchHandler(routes, clock),
    ...startRecovery(service),
    drainSeconds: environment.drainSeconds,
    closers,
  }
  for (const warning of warnings) log.warn(`agent.json: ${formatProblem(warning)}: ${warning.fix}`)
  warnOfRisks(environment, log)

  let closing: Promise<void> | undefined
  let isListening = false
  return {
    declaration,
    environment,
    fetch: request => running.fetchHandler.fetch(request),
    async listen({ port = environment.port, host, thisMachineOnly = false } = {}) {
      closers.unshift(await recordSpans())
      const isReady = (): boolean => isListening && closing === undefined
      await openMetricsServer(recorder, environment, { open: ports.metricsServer, isReady, log, closers })
      const listeningAt = await running.server.listen(port, host, {
        thisMachineOnly: thisMachineOnly && isThisMachine(host),
      })
      isListening = true
      return listeningAt
    },
    close: ({ successor = false } = {}) => (closing ??= closeAgent(running, successor)),
  }
}

function openLog(environment: Environment, variables: Variables, clock: Clock): Log {
  return createLog({
    format: environment.logFormat,
    write: lines => process.stdout.write(lines),
    nowMs: () => clock.nowMs(),
    hide: redactorOf(variables),
  })
}

interface OpeningParts {
  readonly environment: Environment
  readonly clock: Clock
  readonly log: Log
  readonly traces: JobTraces
  /** Called in reverse order when the agent closes. */
  readonly closers: (() => Promise<void>)[]
}

/** Opens everything that the agent needs to run jobs. */
async function openService<D extends Declaration>(
  { handlers: given, isolation, ports = {} }: AgentOptions<D>,
  declaration: Declaration,
  { environment, clock, log, traces, closers }: OpeningParts,
): Promise<{ readonly service: Service; readonly recorder: MetricsRecorder }> {
  const capabilities = serveCapabilities(declaration, environment.network)
  const spending = await openSpendingOf(declaration, environment, { clock, log, closers })
  const recorder = await openRecorder(environment)
  const handlers = await hostHandlers(given, {
    isolation: isolation ?? environment.isolation,
    declaration,
    devMode: environment.devMode,
    clock,
    log,
  })
  const opened = ports.jobStore ?? (await openJobStore(environment.store, clock).catch(closeFirst(handlers)))
  const hiring = await openHiringOf(environment, opened, { clock, log }).catch(closeFirst(handlers))
  // Blocking of the event loop is measured in real time, even when a test controls the agent's clock.
  const turns = createTurns(steadyClock)
  const inputs = createInputChecks(declaration, turns)
  closers.push(opened.close, inputs.close)
  const payments = environment.devMode
    ? undefined
    : await openPayments(environment, { clock, log, closers, gate: ports.paymentGate })
  const service = composeService({
    graceEnd: createGraceEnd(),
    declaration,
    capabilities,
    handlers,
    spending,
    hiring,
    inputs,
    turns,
    payments,
    opened,
    clock,
    log,
    traces,
    waitMs: ports.settleWaitMs,
    leastDeadlineSeconds: environment.leastDeadlineSeconds,
    recorder,
  })
  return { service, recorder }
}

/** Starts the recovery of jobs that earlier processes left unfinished, when the agent takes payments. */
function startRecovery(service: Service): Pick<RunningAgent, 'stopping' | 'recovering'> {
  const stopping = new AbortController()
  const isPaid = service.payments?.gate !== undefined
  return { stopping, recovering: isPaid ? recoverJobs(service, stopping.signal) : Promise.resolve() }
}

interface RunningAgent {
  readonly service: Service
  readonly server: HttpServer
  readonly fetchHandler: FetchHandler
  readonly stopping: AbortController
  /** Resolves when the recovery has stopped. */
  readonly recovering: Promise<void>
  readonly drainSeconds: number
  readonly closers: readonly (() => Promise<void>)[]
}

async function closeAgent(running: RunningAgent, hasSuccessor: boolean): Promise<void> {
  const { service, server, fetchHandler, stopping, recovering, closers } = running
  const drainMs = hasSuccessor ? 0 : running.drainSeconds * 1_000
  const grace = { jobsMs: SHUTDOWN_GRACE_SECONDS * 1_000 - ENDING_MS - drainMs, graceEnd: service.graceEnd }
  if (drainMs > 0) {
    server.drain()
    await sleep(service.clock, drainMs)
  }
  await Promise.all([hasSuccessor ? server.handOver(grace) : server.close(grace), fetchHandler.close(grace)])
  stopping.abort()
  // A handler that runs past the grace period is asked to stop, and then terminated when it runs in its own process.
  await service.handlers.close()
  // The recovery stops first, so that no new settlement begins; then the open settlements are left.
  await within(
    service.clock,
    LEAVING_MS,
    recovering.then(() => service.settlements.stop()),
  )
  service.leases.stop()
  for (const closeOne of closers.toReversed()) await closeOne()
  service.log.flush()
}

/** The part of the shutdown time that is reserved for the steps after the jobs in flight. */
const ENDING_MS = 6_000
/**
 * How long to wait for a facilitator or store that does not answer. Open settlements are stored, and resumed at the
 * next start.
 */
const LEAVING_MS = 1_000

/** The spending code is loaded only when a capability declares permissions; other agents do not need it. */
async function openSpendingOf(
  declaration: Declaration,
  environment: Environment,
  parts: { readonly clock: Clock; readonly log: Log; readonly closers: (() => Promise<void>)[] },
): Promise<Spending> {
  const isDeclared = Object.values(declaration.capabilities).some(
    ({ permissions = [] }) => permissions.length > 0,
  )
  if (!isDeclared) return refuseSpending(notDeclared)
  const { openSpending } = await import('../spending/open-spending.ts')
  return await openSpending(declaration, environment, parts)
}

/** Closes the handler host when a later step of the start fails, so that nothing stays open. */
function closeFirst({ close }: HandlerHost): (error: unknown) => Promise<never> {
  return async error => {
    await close()
    throw error
  }
}

function composeService(parts: {
  readonly declaration: Declaration
  readonly capabilities: Service['capabilities']
  readonly handlers: HandlerHost
  readonly spending: Spending
  readonly hiring: Hiring
  readonly inputs: InputChecks
  readonly turns: Turns
  readonly payments: Payments | undefined
  readonly opened: OpenJobStore
  readonly graceEnd: GraceEnd
  readonly clock: Clock
  readonly log: Log
  readonly traces: JobTraces
  readonly waitMs: number | undefined
  readonly leastDeadlineSeconds: number
  readonly recorder: MetricsRecorder
}): Service {
  const { declaration, capabilities, handlers, graceEnd, clock, log, traces, recorder } = parts
  const jobs = recorder.recordStore(parts.opened.store)
  const gate = parts.payments?.gate && recorder.recordGate(parts.payments.gate)
  const payments = parts.payments && { ...parts.payments, gate }
  const looks = createJobLooks(jobs, clock)
  const notifier = createJobNotifier(clock, looks.forget)
  const leases = createLeaseKeeper(jobs, clock)
  const settlements = createSettlements({
    gate,
    notifier,
    clock,
    log,
    traces,
    waitMs: parts.waitMs,
  })
  return {
    declaration,
    capabilities,
    handlers,
    spending: parts.spending,
    hiring: parts.hiring,
    payments,
    jobs,
    looks,
    notifier,
    leases,
    settlements: recorder.recordSettlements(settlements, leases),
    graceEnd,
    inputs: parts.inputs,
    turns: parts.turns,
    clock,
    log,
    traces,
    metrics: recorder.metrics,
    leastDeadlineSeconds: parts.leastDeadlineSeconds,
    admission: createAdmission(clock === systemClock ? steadyClock : clock),
  }
}

/** Warns once, at the start, about settings that are allowed but risky. */
function warnOfRisks(environment: Environment, log: Log): void {
  if (environment.devMode) return log.warn('dev mode: payments are off, every job is free')
  if (environment.facilitatorSecret === undefined) {
    log.warn(
      'FACILITATOR_SECRET is not set: every paid request will be answered 401; ' +
        'npx farebox secret create --env makes one for this wallet, or ask who runs FACILITATOR_URL',
    )
  }
  if (environment.store === 'memory:') {
    log.warn('SERVICE_STORE=memory: jobs and open settlements are lost when this process stops')
  }
}
