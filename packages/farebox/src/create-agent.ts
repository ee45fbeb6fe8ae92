import { loadKeccak } from '@farebox/payments/evm-crypto'
import type { Declaration } from '@farebox/protocol/declaration/declaration'
import { SHUTDOWN_GRACE_SECONDS } from '@farebox/protocol/limits'
import { systemClock, type Clock } from './clock.ts'
import { readEnvironment, type Environment, type Variables } from './config/read-environment.ts'
import { createLeaseKeeper } from './execute/keep-leases.ts'
import type { Payments, Service } from './execute/service.ts'
import { createSettlements } from './execute/settlements.ts'
import type { AnyHandlers, HandlersOf } from './handlers.ts'
import { createFetchDoor } from './http/fetch-door.ts'
import { createHttpServer } from './http/serve.ts'
import { createServiceRoutes } from './http/service-routes.ts'
import { createJobBell } from './jobs/job-bell.ts'
import type { OpenJobStore } from './jobs/job-store.ts'
import { openJobStore } from './jobs/open-job-store.ts'
import { recoverJobs } from './jobs/recover-jobs.ts'
import { createLog, type Log } from './log.ts'
import { openPayments } from './open-payments.ts'
import type { PaymentGate } from './payment-gate/payment-gate.ts'
import { serveCapabilities, servedDeclaration } from './serve-declaration.ts'

/** What an agent is made of. */
export interface AgentOptions<D extends Declaration> {
  /** From `defineAgent`, or from `readConfig` of an `agent.json`. It is checked again here. */
  readonly declaration: D
  readonly handlers: HandlersOf<D> | (Declaration extends D ? AnyHandlers : never)
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
 * not match, or the job store's own error: what cannot work does not start.
 *
 * @example
 * const agent = await createAgent({ declaration, handlers: { echo: ({ text }) => ({ text }) } })
 * await agent.listen()
 */
export async function createAgent<const D extends Declaration>(options: AgentOptions<D>): Promise<Agent> {
  const { ports = {} } = options
  const clock = ports.clock ?? systemClock
  const keccak256 = await loadKeccak()
  const environment = readEnvironment(options.variables ?? process.env, { keccak256 })
  const log =
    ports.log ??
    createLog({
      format: environment.logFormat,
      write: lines => process.stdout.write(lines),
      nowMs: () => clock.nowMs(),
    })
  const declaration = servedDeclaration(options.declaration, environment.wallet, { keccak256 })
  const capabilities = serveCapabilities(declaration, environment.network, options.handlers)
  const opened = ports.jobStore ?? (await openJobStore(environment.store, clock))
  const closers: (() => Promise<void>)[] = [opened.close]
  const payments = environment.devMode
    ? undefined
    : await openPayments(environment, { clock, log, closers, gate: ports.paymentGate })
  const service = composeService({
    declaration,
    capabilities,
    payments,
    opened,
    clock,
    log,
    patienceMs: ports.settlePatienceMs,
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
    listen: ({ port = environment.port, host } = {}) => server.listen(port, host),
    close: ({ successor = false } = {}) => (closing ??= close(successor)),
  }
}

function composeService(parts: {
  readonly declaration: Declaration
  readonly capabilities: Service['capabilities']
  readonly payments: Payments | undefined
  readonly opened: OpenJobStore
  readonly clock: Clock
  readonly log: Log
  readonly patienceMs: number | undefined
}): Service {
  const { declaration, capabilities, payments, clock, log } = parts
  const jobs = parts.opened.store
  const bell = createJobBell(clock)
  const settlements = createSettlements({
    gate: payments?.gate,
    bell,
    clock,
    log,
    patienceMs: parts.patienceMs,
  })
  return {
    declaration,
    capabilities,
    payments,
    jobs,
    bell,
    leases: createLeaseKeeper(jobs, clock),
    settlements,
    clock,
    log,
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
