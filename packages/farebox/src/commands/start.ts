import { readDotEnv, type DotEnv } from '../environment/read-dot-env.ts'
import { readStartOptions, type StartOptions } from '../invocation/command-options.ts'
import { processWorld, type CommandWorld } from '../invocation/command-world.ts'
import { writeListening, type Listening } from '../serving/listening.ts'
import { serveAgent } from '../serving/serve-agent.ts'
import { serveUntilStopped } from '../serving/serve-until-stopped.ts'
import { stopRequested } from '../serving/stop-requested.ts'

/**
 * `farebox start`: serves the agent until it is stopped, in this process or in several workers on one port.
 *
 * Exit code 0 after a graceful stop (D32). 1 when the agent cannot start, and when code that a handler left running
 * threw an error that is not caught (DDL-09): the supervisor of the process restarts it. 2 for invalid arguments.
 */
export async function startCommand(
  args: readonly string[],
  world: CommandWorld = processWorld(),
): Promise<number> {
  try {
    const options = readStartOptions(args)
    const dotEnv = await readDotEnv(options.config, world.variables, world.folder)
    // The variables are copied to `process.env` because handlers read it and workers inherit it.
    Object.assign(process.env, dotEnv?.variables)
    const known = { ...world, variables: { ...world.variables, ...dotEnv?.variables } }
    const tell = (listening: Listening): void => {
      world.out.write(writeSource(dotEnv, listening) + writeListening(listening, options.workers))
    }
    return options.workers === 1
      ? await serveHere(options, known, tell)
      : await (
          await import('../workers/supervise-workers.ts')
        ).superviseWorkers(args, options.workers, world, tell)
  } catch (error) {
    // Imported lazily: a command that succeeds does not need it.
    const { refuse } = await import('../invocation/refuse.ts')
    return refuse(error, world)
  }
}

async function serveHere(
  options: StartOptions,
  world: CommandWorld,
  tell: (listening: Listening) => void,
): Promise<number> {
  const stop = stopRequested(() => process.exit(1))
  const served = await Promise.race([serveAgent(options, world), stop])
  // The stop was requested before the agent was serving.
  if (served === undefined) return 0
  tell(served.listening)
  return await serveUntilStopped(served.agent, stop, world)
}

/** Writes only the names of the variables: values from a `.env` must never be printed. */
function writeSource(dotEnv: DotEnv | undefined, { logFormat }: Listening): string {
  const names = Object.keys(dotEnv?.variables ?? {})
  if (dotEnv === undefined || names.length === 0) return ''
  return logFormat === 'json'
    ? `${JSON.stringify({ time: new Date().toISOString(), level: 'info', event: 'variables from a file', file: dotEnv.file, names })}\n`
    : `from ${dotEnv.file}: ${names.join(', ')}\n`
}
