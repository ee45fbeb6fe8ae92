import { refuseAddress } from '@farebox/payments/address'
import { createPaymentChecker } from '@farebox/payments/check-payment'
import { loadEvmCrypto, loadKeccak, type EvmCrypto } from '@farebox/payments/evm-crypto'
import { createFacilitatorClient } from '@farebox/payments/facilitator-client'
import { createJsonRpc } from '@farebox/payments/json-rpc-pool'
import { createRequirement, paymentRequiredBody } from '@farebox/payments/requirement'
import { checkDeclaration } from '@farebox/protocol/declaration/check-declaration'
import type { Declaration } from '@farebox/protocol/declaration/declaration'
import { formatPath } from '@farebox/protocol/declaration/problem'
import { compileInput, compileOutput } from '@farebox/protocol/fields/compile'
import { SHUTDOWN_GRACE_SECONDS } from '@farebox/protocol/limits'
import { readPrice } from '@farebox/protocol/money/usdc'
import { systemClock, type Clock } from './clock.ts'
import { readEnvironment, type Environment, type Variables } from './config/read-environment.ts'
import { createLeaseKeeper } from './execute/keep-leases.ts'
import type { Payments, ServedCapability, Service } from './execute/service.ts'
import { createSettlements } from './execute/settle-payment.ts'
import { matchHandlers, type AnyHandlers, type HandlersOf } from './handlers.ts'
import { createFetchDoor } from './http/fetch-door.ts'
import { createHttpServer } from './http/serve.ts'
import { createServiceRoutes } from './http/service-routes.ts'
import { createJobBell } from './jobs/job-bell.ts'
import type { OpenJobStore } from './jobs/job-store.ts'
import { openJobStore } from './jobs/open-job-store.ts'
import { recoverJobs } from './jobs/recover-jobs.ts'
import { createLog, type Log } from './log.ts'
import { createFacilitatorGate } from './payment-gate/facilitator-gate.ts'
import type { PaymentGate } from './payment-gate/payment-gate.ts'

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
   */
  close(): Promise<void>
}

/** Thrown for a declaration that cannot be served, with every problem it has. */
export class DeclarationError extends TypeError {
  override readonly name = 'DeclarationError'
}

/**
 * Makes an agent from its declaration and its handlers.
 *
 * Throws a {@link DeclarationError}, an `EnvironmentError` naming the variable, a `TypeError` for handlers that do
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
  const log = ports.log ?? createLog({
    format: environment.logFormat,
    write: lines => process.stdout.write(lines),
    nowMs: () => clock.nowMs(),
  })
  const declaration = servedDeclaration(options.declaration, environment.wallet, { keccak256 })
  const capabilities = serveCapabilities(declaration, environment, options.handlers)
  const opened = ports.jobStore ?? await openJobStore(environment.store, clock)
  const closers: (() => Promise<void>)[] = [opened.close]
  const payments = environment.devMode ? undefined : await openPayments(environment, { clock, log, closers, gate: ports.paymentGate })
  const service = composeService({ declaration, capabilities, payments, opened, clock, log, patienceMs: ports.settlePatienceMs })
  const routes = createServiceRoutes(service)
  const server = createHttpServer(routes, clock)
  const door = createFetchDoor(routes, clock)
  const stopping = new AbortController()
  const recovering = payments?.gate === undefined ? Promise.resolve() : recoverJobs(service, stopping.signal)
  warnOfRisks(environment, log)

  let closing: Promise<void> | undefined
  const close = async (): Promise<void> => {
    await Promise.all([server, door].map(way => way.close(SHUTDOWN_GRACE_SECONDS * 1_000)))
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
    close: () => (closing ??= close()),
  }
}

function servedDeclaration(given: Declaration, wallet: string, crypto: Pick<EvmCrypto, 'keccak256'>): Declaration {
  const checked = checkDeclaration(given)
  if (!checked.ok) {
    throw new DeclarationError(checked.problems.map(({ path, reason }) => `${formatPath(path)}: ${reason}`).join('\n'))
  }
  const literal = checked.declaration.wallet
  const refused = literal.startsWith('0x') ? refuseAddress(crypto, literal) : undefined
  if (refused !== undefined) throw new DeclarationError(`wallet: ${refused}`)
  return { ...checked.declaration, wallet }
}

function serveCapabilities(declaration: Declaration, environment: Environment, given: unknown): ReadonlyMap<string, ServedCapability> {
  const handlers = matchHandlers(declaration, given)
  return new Map(Object.entries(declaration.capabilities).map(([name, capability]) => {
    const price = readPrice(capability.pricing.amount)
    const handler = handlers.get(name)
    if (!price.ok || handler === undefined) throw new DeclarationError(`capabilities.${name}: cannot be served`)
    const requirement = createRequirement({
      network: environment.network,
      payTo: declaration.wallet,
      amountAtomic: price.atomic,
      maxDeadlineSeconds: declaration.max_deadline_seconds,
    })
    return [name, {
      name,
      handler,
      requirement,
      description: capability.description,
      checkInput: compileInput(capability.input_schema),
      checkOutput: compileOutput(capability.output_schema),
      demand: JSON.stringify(paymentRequiredBody(requirement, { agent: declaration.name, capability: name })),
    }]
  }))
}

async function openPayments(
  environment: Environment,
  parts: { readonly clock: Clock; readonly log: Log; readonly closers: (() => Promise<void>)[]; readonly gate: PaymentGate | undefined },
): Promise<Payments> {
  const { clock, log, closers } = parts
  const { network, facilitatorSecret: secret, facilitatorUrl: url, rpcUrl, publicUrl } = environment
  const crypto = await loadEvmCrypto({
    onFallback: reason => log.warn('the native signature check did not load, payments are verified several times slower', { reason }),
  })
  const openGate = (known: string): PaymentGate => {
    const facilitator = createFacilitatorClient({ url, secret: known })
    const rpc = rpcUrl === undefined ? undefined : createJsonRpc(rpcUrl)
    closers.push(() => facilitator.close(), async () => rpc?.close())
    return createFacilitatorGate({ facilitator, network, rpc, clock, log })
  }
  return {
    crypto,
    checker: createPaymentChecker(crypto, [network]),
    gate: parts.gate ?? (secret === undefined ? undefined : openGate(secret)),
    networkId: network.id,
    executeUrl: publicUrl === undefined ? undefined : `${publicUrl}/execute`,
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
  const settlements = createSettlements({ gate: payments?.gate, bell, clock, log, patienceMs: parts.patienceMs })
  return { declaration, capabilities, payments, jobs, bell, leases: createLeaseKeeper(jobs, clock), settlements, clock, log }
}

/** What starts but should be known: said once, at the start. */
function warnOfRisks(environment: Environment, log: Log): void {
  if (environment.devMode) return log.warn('dev mode: payments are off, every job is free')
  if (environment.facilitatorSecret === undefined) {
    log.warn('FACILITATOR_SECRET is not set: every paid request will be answered 401')
  }
  if (environment.store === 'memory:') {
    log.warn('SERVICE_STORE=memory: forgets jobs and open settlements when this process stops')
  }
}
