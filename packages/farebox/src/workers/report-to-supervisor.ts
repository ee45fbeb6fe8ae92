import type { OpenMetricsServer } from '../metrics/agent-metrics.ts'
import { REPORT_METRICS, type WorkerReport } from './worker-messages.ts'

/** Tells the process that watches over this one; nobody is told where it is gone. */
export function reportToSupervisor(report: WorkerReport): void {
  if (process.connected) process.send?.(report, undefined, undefined, () => undefined)
}

/** Metrics are served by the one that watches over all workers; this one tells it what it has counted. */
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
