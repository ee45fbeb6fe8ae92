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
 * Exit code 0 after a graceful stop (D32), 1 where it cannot start, and after something that a handler left behind
 * threw with nobody to catch it (DDL-09): whatever runs the process starts it anew. 2 for arguments not understood.
 */
export async function startCommand(
  args: readonly string[],
  world: CommandWorld = processWorld(),
): Promise<number> {
  try {
    const options = readStartOptions(args)
    const dotEnv = await readDotEnv(options.config, world.variables, world.folder)
    // Handlers read the environment too, and workers inherit it.
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
    // Loaded where it is needed: a command that goes well has no use for it.
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
  // Stopped before anything was served.
  if (served === undefined) return 0
  tell(served.listening)
  return await serveUntilStopped(served.agent, stop, world)
}

/** Names only: what a `.env` holds is nobody's to print. */
function writeSource(dotEnv: DotEnv | undefined, { logFormat }: Listening): string {
  const names = Object.keys(dotEnv?.variables ?? {})
  if (dotEnv === undefined || names.length === 0) return ''
  return logFormat === 'json'
    ? `${JSON.stringify({ time: new Date().toISOString(), level: 'info', event: 'variables from a file', file: dotEnv.file, names })}\n`
    : `from ${dotEnv.file}: ${names.join(', ')}\n`
}
