import { EnvironmentError } from '../environment/environment-error.ts'
import type { Environment } from '../environment/read-environment.ts'
import type { Log } from '../log.ts'
import { noMetrics, type MetricsRecorder, type OpenMetricsServer } from '../metrics/agent-metrics.ts'

/**
 * Starts to record metrics if the environment requests them. Rejects with an {@link EnvironmentError} when prom-client,
 * an optional peer dependency, is not installed.
 */
export async function openRecorder({ metrics }: Environment): Promise<MetricsRecorder> {
  if (metrics === undefined) return noMetrics
  try {
    const { recordMetrics } = await import('../metrics/record-metrics.ts')
    return recordMetrics()
  } catch (cause) {
    if (!(cause instanceof Error && 'code' in cause && cause.code === 'ERR_MODULE_NOT_FOUND')) throw cause
    throw new EnvironmentError({
      variable: 'SERVICE_METRICS_PORT',
      problem: 'needs the package prom-client, which is not installed',
      hint: 'npm install prom-client@15, or leave the variable unset for no metrics',
    })
  }
}

/** Serves the recorded metrics, if there are any; its close function is added to `closers`. */
export async function openMetricsServer(
  { source }: MetricsRecorder,
  { metrics }: Environment,
  parts: {
    readonly open: OpenMetricsServer | undefined
    readonly isReady: () => boolean
    readonly log: Log
    readonly closers: (() => Promise<void>)[]
  },
): Promise<void> {
  if (source === undefined || metrics === undefined) return
  const open = parts.open ?? (await import('./serve-metrics.ts')).serveMetrics
  const server = await open(source, metrics, parts.isReady)
  parts.closers.push(() => server.close())
  if (server.url !== undefined) parts.log.note('metrics are served', { url: server.url })
}
