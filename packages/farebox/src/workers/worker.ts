import cluster from 'node:cluster'
import { readStartOptions } from '../invocation/command-options.ts'
import { processWorld } from '../invocation/command-world.ts'
import { serveAgent, serveOneMore } from '../serving/serve-agent.ts'
import { serveUntilStopped } from '../serving/serve-until-stopped.ts'
import { leaveCluster } from './leave-cluster.ts'
import { splitForPipe } from '../isolation/output/split-for-pipe.ts'
import { reportMetrics, reportToSupervisor } from './report-to-supervisor.ts'
import { STOP } from './worker-messages.ts'

// The program of one worker of `farebox start --workers <n>`; supervise-workers.ts forks it with the same arguments.
const stop = stopAsked()
const code = await serve()
await leaveCluster()
process.stdout.write('', () => process.exit(code))

async function serve(): Promise<number> {
  const world = processWorld()
  const out = { ...world.out, write: (text: string) => splitForPipe(text).forEach(world.out.write) }
  try {
    const options = readStartOptions(process.argv.slice(2))
    const open = cluster.worker?.id === 1 ? serveAgent : serveOneMore
    const served = await Promise.race([open(options, { ...world, out, metricsServer: reportMetrics }), stop])
    if (served === undefined) return 0
    reportToSupervisor({ kind: 'listening', listening: served.listening })
    return await serveUntilStopped(served.agent, stop, world)
  } catch (error) {
    const { refuse } = await import('../invocation/refuse.ts')
    const exitCode = refuse(error, world)
    reportToSupervisor({ kind: 'refused' })
    return exitCode
  }
}

/**
 * Resolves when this worker must stop: on a command, on a signal, or when its supervisor has ended. Ctrl-C in a
 * terminal reaches every process of a command, so a repeated signal is not treated as a second request here; killing
 * all workers at once is the task of the supervisor.
 */
function stopAsked(): Promise<void> {
  return new Promise(resolve => {
    process.on('message', message => {
      if (message === STOP) resolve()
    })
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => resolve())
    cluster.worker?.on('disconnect', () => {
      // Set before Node would end the process because of the disconnect: the supervisor has ended, but jobs are still
      // in flight.
      if (cluster.worker !== undefined) cluster.worker.exitedAfterDisconnect = true
      resolve()
    })
  })
}
