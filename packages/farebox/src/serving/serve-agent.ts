import type { Declaration } from '@farebox/protocol/declaration/declaration'
import { sleep, systemClock } from '@farebox/protocol/time/clock'
import { redactorOf } from '../environment/environment-redactor.ts'
import type { Environment } from '../environment/read-environment.ts'
import { createAgent, type Agent } from '../agent/create-agent.ts'
import { createLog, type Log } from '../log.ts'
import type { OpenMetricsServer } from '../metrics/agent-metrics.ts'
import type { StartOptions } from '../invocation/command-options.ts'
import type { CommandWorld } from '../invocation/command-world.ts'
import { describeListening, type Listening } from './listening.ts'
import { prepareAgent } from './prepare-agent.ts'

/** A listening agent with its description. */
export interface ServedAgent {
  readonly agent: Agent
  readonly listening: Listening
}

/** The environment that serving needs. */
export interface ServingWorld extends Pick<CommandWorld, 'folder' | 'variables' | 'out'> {
  /** Default: this process serves the metrics, if they are on. */
  readonly metricsServer?: OpenMetricsServer
}

/** Reads, loads and listens. Throws an explained error when the agent cannot start, and leaves nothing open. */
export async function serveAgent(options: StartOptions, world: ServingWorld): Promise<ServedAgent> {
  const { agent, listening, log } = await openAgent(options, world, own => own)
  void lookAtFacilitator(agent, log)
  return { agent, listening }
}

/** The check is delayed until the first requests are answered, because its work would slow them down. */
const LOOK_AFTER_MS = 2_000

async function lookAtFacilitator({ environment }: Agent, log: Log): Promise<void> {
  if (environment.devMode) return
  await sleep(systemClock, LOOK_AFTER_MS)
  const { warnOfFacilitator } = await import('../agent/warn-of-facilitator.ts')
  await warnOfFacilitator(environment, log)
}

/** The watch is delayed until the first request is answered, because starting a thread takes time. */
const WATCH_AFTER_MS = 250

/** Watches for handlers that block the event loop. Isolated handlers block only their own processes. */
async function watchHandlers(declaration: Declaration, environment: Environment): Promise<void> {
  if (environment.isolation === 'worker') return
  await sleep(systemClock, WATCH_AFTER_MS)
  const { watchLoop } = await import('../loop-watch/watch-loop.ts')
  watchLoop({ maxDeadlineSeconds: declaration.max_deadline_seconds, format: environment.logFormat })
}

/**
 * {@link serveAgent} for a further worker: warnings of the start are suppressed, because the first worker has logged
 * them.
 */
export async function serveOneMore(options: StartOptions, world: ServingWorld): Promise<ServedAgent> {
  let isStarting = true
  return await openAgent(options, world, log => ({
    ...log,
    warn: (event, fields) => void (isStarting || log.warn(event, fields)),
  })).finally(() => {
    isStarting = false
  })
}

async function openAgent(
  options: StartOptions,
  world: ServingWorld,
  adapt: (log: Log) => Log,
): Promise<ServedAgent & { readonly log: Log }> {
  const { declaration, handlers, environment, variables } = await prepareAgent(options, world)
  const log = adapt(
    createLog({
      format: environment.logFormat,
      write: lines => world.out.write(lines),
      nowMs: systemClock.nowMs,
      hide: redactorOf(variables),
    }),
  )
  const { metricsServer } = world
  const agent = await createAgent({
    declaration,
    handlers,
    variables,
    ports: { log, ...(metricsServer && { metricsServer }) },
  })
  const { host } = options
  try {
    const port = await agent.listen(host === undefined ? {} : { host })
    void watchHandlers(declaration, environment)
    return { agent, listening: describeListening(agent, port, host), log }
  } catch (error) {
    await agent.close()
    const { explainListenError } = await import('../invocation/explain-listen-error.ts')
    throw await explainListenError(error, { port: environment.port, host })
  }
}
