import type { OpenMetricsServer } from '../metrics/agent-metrics.ts'
import { REPORT_METRICS, type WorkerReport } from './worker-messages.ts'

/** Sends a report to the supervisor; does nothing when the supervisor has ended. */
export function reportToSupervisor(report: WorkerReport): void {
  if (process.connected) process.send?.(report, undefined, undefined, () => undefined)
}

/**
 * Sends this worker's metrics to the supervisor on request, because the supervisor serves the metrics of all workers.
 */
export const reportMetrics: OpenMetricsServer = source => {
  const tell = (message: unknown): void => {
    if (message !== REPORT_METRICS) return
    source.getMetricsAsJSON().then(
      metrics => reportToSupervisor({ kind: 'metrics', metrics }),
      () => reportToSupervisor({ kind: 'metrics', metrics: undefined }),
    )
  }
  process.on('message', tell)
  return Promise.resolve({
    url: undefined,
    close: () => Promise.resolve(void process.off('message', tell)),
  })
}
