import { loadKeccak } from '@farebox/payments/evm-crypto'
import type { Declaration } from '@farebox/protocol/declaration/declaration'
import { SHUTDOWN_GRACE_SECONDS } from '@farebox/protocol/limits'
import { systemClock, type Clock } from './clock.ts'
import { hideSecretsOf } from './config/hide-secrets.ts'
import {
  readEnvironment,
  type Environment,
  type Isolation,
  type Variables,
} from './config/read-environment.ts'
import type { HandlerHost } from './execute/handler-host.ts'
import { createLeaseKeeper } from './execute/keep-leases.ts'
import type { Payments, Service } from './execute/service.ts'
import { createSettlements } from './execute/settlements.ts'
import type { AnyHandlers, HandlersOf } from './handlers.ts'
import { hostHandlers, type HandlersModule } from './host-handlers.ts'
import { createFetchDoor } from './http/fetch-door.ts'
import { createHttpServer } from './http/serve.ts'
import { createServiceRoutes } from './http/service-routes.ts'
import { createJobBell } from './jobs/job-bell.ts'
import type { OpenJobStore } from './jobs/job-store.ts'
import { openJobStore } from './jobs/open-job-store.ts'
import { recoverJobs } from './jobs/recover-jobs.ts'
import { createLog, type Log } from './log.ts'
import type { AgentWatch, OpenMetricsDoor } from './metrics/agent-metrics.ts'
import { openMetricsDoor, openWatch } from './metrics/open-watch.ts'
import { openPayments } from './open-payments.ts'
import type { PaymentGate } from './payment-gate/payment-gate.ts'
import { serveCapabilities, servedDeclaration } from './serve-declaration.ts'

/** What an agent is made of. */
export interface AgentOptions<D extends Declaration> {
  /** From `defineAgent`, or from `readConfig` of an `agent.json`. It is checked again here. */
  readonly declaration: D
  /** Functions; or the module that exports them by default, as a URL or a path. */
  readonly handlers: HandlersOf<D> | (Declaration extends D ? AnyHandlers : never) | HandlersModule
  /**
   * `worker`: handlers run in processes of their own, so that one which blocks or breaks harms its own job alone. They
   * must be given as a module. Default: `SERVICE_ISOLATION`.
   */
  readonly isolation?: Isolation
  /** Default: `process.env`, read once, here. */
  readonly variables?: Variables
  /** Parts of the outside world, for tests, simulators and those who bring their own. */
  readonly ports?: Partial<AgentPorts>
}

/** Where an agent touches the world. */
export interface AgentPorts {
  readonly clock: Clock
  readonly log: Log
  readonly jobStore: OpenJobStore
  readonly paymentGate: PaymentGate
  /** How long a caller waits for a settlement before it is answered 503 pending. */
  readonly settlePatienceMs: number
  /** Where metrics are read, where SERVICE_METRICS_PORT asks for them; default: `GET /metrics` there. */
  readonly metricsDoor: OpenMetricsDoor
}

/** An agent: it answers `fetch`, and listens where asked to. */
export interface Agent {
  /** As `/about` serves it. */
  readonly declaration: Declaration
  readonly environment: Environment
  /** Answers one web-standard request, without a socket. */
  fetch(request: Request): Promise<Response>
  /** Listens on the environment's `PORT`, or on the one given (0: any); resolves to the port. */
  listen(options?: { readonly port?: number; readonly host?: string }): Promise<number>
  /**
   * Stops (D32): new jobs are answered 503, those in flight finish, connections close, and settlements not known
   * yet are left to the next process. Safe to call twice.
   *
   * With `successor: true` somebody else serves the address from now on: this agent stops listening at once, and
   * nobody is answered 503; whoever has already asked gets an answer here, and everybody after that is the
   * successor's.
   */
  close(options?: { readonly successor?: boolean }): Promise<void>
}

/**
 * Makes an agent from its declaration and its handlers.
 *
 * Throws a `DeclarationError`, an `EnvironmentError` naming the variable, a `TypeError` for handlers that do
 * not match, a `HandlersError` for a module of them that cannot be loaded, or the job store's own error: what cannot
 * work does not start.
 *
 * @example
 * const agent = await createAgent({ declaration, handlers: { echo: ({ text }) => ({ text }) } })
 * await agent.listen()
 */
export async function createAgent<const D extends Declaration>(options: AgentOptions<D>): Promise<Agent> {
  const { ports = {} } = options
  const clock = ports.clock ?? systemClock
  const keccak256 = await loadKeccak()
  const variables = options.variables ?? process.env
  const environment = readEnvironment(variables, { keccak256 })
  const log =
    ports.log ??
    createLog({
      format: environment.logFormat,
      write: lines => process.stdout.write(lines),
      nowMs: () => clock.nowMs(),
      hide: hideSecretsOf(variables),
    })
  const declaration = servedDeclaration(options.declaration, environment.wallet, { keccak256 })
  const capabilities = serveCapabilities(declaration, environment.network)
  const watch = await openWatch(environment)
  const handlers = await hostHandlers(options.handlers, {
    isolation: options.isolation ?? environment.isolation,
    declaration,
    devMode: environment.devMode,
    clock,
    log,
  })
  const opened = ports.jobStore ?? (await openJobStore(environment.store, clock).catch(closeFirst(handlers)))
  const closers: (() => Promise<void>)[] = [opened.close]
  const payments = environment.devMode
    ? undefined
    : await openPayments(environment, { clock, log, closers, gate: ports.paymentGate })
  const service = composeService({
    declaration,
    capabilities,
    handlers,
    payments,
    opened,
    clock,
    log,
    patienceMs: ports.settlePatienceMs,
    watch,
  })
  const routes = createServiceRoutes(service)
  const server = createHttpServer(routes, clock)
  const door = createFetchDoor(routes, clock)
  const stopping = new AbortController()
  const recovering = payments?.gate === undefined ? Promise.resolve() : recoverJobs(service, stopping.signal)
  warnOfRisks(environment, log)

  let closing: Promise<void> | undefined
  const close = async (hasSuccessor: boolean): Promise<void> => {
    const graceMs = SHUTDOWN_GRACE_SECONDS * 1_000
    await Promise.all([hasSuccessor ? server.handOver(graceMs) : server.close(graceMs), door.close(graceMs)])
    stopping.abort()
    // Whose time is over is told so, and then ended, where it can be.
    await handlers.close()
    // First nothing new is taken up, then what is open is left.
    await recovering
    await service.settlements.stop()
    service.leases.stop()
    for (const closeOne of closers.toReversed()) await closeOne()
    log.flush()
  }
  return {
    declaration,
    environment,
    fetch: request => door.fetch(request),
    async listen({ port = environment.port, host } = {}) {
      await openMetricsDoor(watch, environment, { open: ports.metricsDoor, log, closers })
      return await server.listen(port, host)
    },
    close: ({ successor = false } = {}) => (closing ??= close(successor)),
  }
}

/** What cannot start leaves nothing open. */
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
  readonly payments: Payments | undefined
  readonly opened: OpenJobStore
  readonly clock: Clock
  readonly log: Log
  readonly patienceMs: number | undefined
  readonly watch: AgentWatch
}): Service {
  const { declaration, capabilities, handlers, clock, log, watch } = parts
  const jobs = watch.watchStore(parts.opened.store)
  const gate = parts.payments?.gate && watch.watchGate(parts.payments.gate)
  const payments = parts.payments && { ...parts.payments, gate }
  const bell = createJobBell(clock)
  const leases = createLeaseKeeper(jobs, clock)
  const settlements = createSettlements({
    gate,
    bell,
    clock,
    log,
    patienceMs: parts.patienceMs,
  })
  return {
    declaration,
    capabilities,
    handlers,
    payments,
    jobs,
    bell,
    leases,
    settlements: watch.watchSettlements(settlements, leases),
    clock,
    log,
    metrics: watch.metrics,
  }
}

/** What starts but should be known: said once, at the start. */
function warnOfRisks(environment: Environment, log: Log): void {
  if (environment.devMode) return log.warn('dev mode: payments are off, every job is free')
  if (environment.facilitatorSecret === undefined) {
    log.warn(
      'FACILITATOR_SECRET is not set: every paid request will be answered 401; ' +
        'create one for this wallet in the settings of the platform, or ask who runs FACILITATOR_URL',
    )
  }
  if (environment.store === 'memory:') {
    log.warn('SERVICE_STORE=memory: forgets jobs and open settlements when this process stops')
  }
}
