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

/** An agent that listens, and what is reported of it. */
export interface ServedAgent {
  readonly agent: Agent
  readonly listening: Listening
}

/** What serving takes of the world. */
export interface ServingWorld extends Pick<CommandWorld, 'folder' | 'variables' | 'out'> {
  /** Default: metrics are served here, where they are asked for. */
  readonly metricsServer?: OpenMetricsServer
}

/** Reads, loads, and listens. What cannot start throws its explanation, and leaves nothing open. */
export async function serveAgent(options: StartOptions, world: ServingWorld): Promise<ServedAgent> {
  const { agent, listening, log } = await openAgent(options, world, own => own)
  void lookAtFacilitator(agent, log)
  return { agent, listening }
}

/** Once the first requests are answered: what it takes to ask would keep them waiting. */
const LOOK_AFTER_MS = 2_000

async function lookAtFacilitator({ environment }: Agent, log: Log): Promise<void> {
  if (environment.devMode) return
  await sleep(systemClock, LOOK_AFTER_MS)
  const { warnOfFacilitator } = await import('../agent/warn-of-facilitator.ts')
  await warnOfFacilitator(environment, log)
}

/** Once the first request is answered: a thread takes a moment to start. */
const WATCH_AFTER_MS = 250

/** Isolated handlers hold up processes of their own. */
async function watchHandlers(declaration: Declaration, environment: Environment): Promise<void> {
  if (environment.isolation === 'worker') return
  await sleep(systemClock, WATCH_AFTER_MS)
  const { watchLoop } = await import('../loop-watch/watch-loop.ts')
  watchLoop({ maxDeadlineSeconds: declaration.max_deadline_seconds, format: environment.logFormat })
}

/** {@link serveAgent} beside others of its kind: what is to be known of the start, the first of them has said. */
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
