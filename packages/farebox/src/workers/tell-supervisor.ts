import type { OpenMetricsDoor } from '../metrics/agent-metrics.ts'
import { TELL_METRICS, type WorkerReport } from './worker-messages.ts'

/** Tells the process that watches over this one; nobody is told where it is gone. */
export function tellSupervisor(report: WorkerReport): void {
  if (process.connected) process.send?.(report, undefined, undefined, () => undefined)
}

/** Metrics are served by the one that watches over all workers; this one tells it what it has counted. */
export const tellMetrics: OpenMetricsDoor = source => {
  const tell = (message: unknown): void => {
    if (message !== TELL_METRICS) return
    source.getMetricsAsJSON().then(
      metrics => tellSupervisor({ kind: 'metrics', metrics }),
      () => tellSupervisor({ kind: 'metrics', metrics: undefined }),
    )
  }
  process.on('message', tell)
  return Promise.resolve({
    url: undefined,
    close: () => Promise.resolve(void process.off('message', tell)),
  })
}
