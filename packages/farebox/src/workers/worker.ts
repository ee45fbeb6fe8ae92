import cluster from 'node:cluster'
import { readStartOptions } from '../invocation/command-options.ts'
import { processWorld } from '../invocation/command-world.ts'
import { serveAgent, serveOneMore } from '../serving/serve-agent.ts'
import { serveUntilStopped } from '../serving/serve-until-stopped.ts'
import { leaveCluster } from './leave-cluster.ts'
import { splitForPipe } from '../isolation/output/split-for-pipe.ts'
import { reportMetrics, reportToSupervisor } from './report-to-supervisor.ts'
import { STOP } from './worker-messages.ts'

// One of the processes of `farebox start --workers <n>`: forked by supervise-workers.ts, with the same words.
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
 * Resolves when this worker is to stop: told so, sent a signal itself, or left alone. Ctrl-C in a terminal reaches
 * every process of a command, so a signal that comes twice is no second request here; ending all at once is for
 * the one that watches over us.
 */
function stopAsked(): Promise<void> {
  return new Promise(resolve => {
    process.on('message', message => {
      if (message === STOP) resolve()
    })
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => resolve())
    cluster.worker?.on('disconnect', () => {
      // Said before Node ends the process for it: whoever watched over us is gone, the jobs in flight are not.
      if (cluster.worker !== undefined) cluster.worker.exitedAfterDisconnect = true
      resolve()
    })
  })
}
