import type { Worker } from 'node:cluster'
import { within } from '@farebox/protocol/internal/time/within'
import { systemClock } from '@farebox/protocol/time/clock'
import { AggregatorRegistry, Gauge } from 'prom-client'
import type { MetricsSource } from '../metrics/agent-metrics.ts'
import { readReport, REPORT_METRICS } from './worker-messages.ts'

/** The metrics of one or several workers. */
type Counted = readonly object[]

/** A worker whose event loop is blocked does not answer; its last report is used instead. */
const TIMEOUT_MS = 2_000

/**
 * Adds up the metrics of all workers, so that one scrape covers the whole agent. The last reported values of a worker
 * that has ended stay in the sums: a counter that decreases would be taken for a restart, and its values would be
 * counted again.
 */
export function aggregateMetrics(
  workers: () => readonly Worker[],
): Pick<MetricsSource, 'contentType' | 'metrics'> {
  const last = new Map<Worker, Counted>()
  let ended: Counted = []

  const retire = async (living: readonly Worker[]): Promise<void> => {
    for (const [worker, counted] of last) {
      if (living.includes(worker)) continue
      last.delete(worker)
      const together = await AggregatorRegistry.aggregate(
        [ended, counted].map(one => [...one]),
      ).getMetricsAsJSON()
      ended = together.filter(metric => !isGauge(metric))
    }
  }

  const aggregate = async (): Promise<string> => {
    const living = workers()
    await retire(living)
    const reports = await Promise.all(living.map(ask))
    for (const [index, worker] of living.entries()) {
      const counted = reports[index]
      if (counted !== undefined) last.set(worker, counted)
    }
    const all = AggregatorRegistry.aggregate([ended, ...last.values()].map(one => [...one]))
    all.registerMetric(workersGauge(reports.filter(counted => counted !== undefined).length))
    return await all.metrics()
  }

  // Requests are processed sequentially: two that retire the same worker concurrently would count it twice.
  let turn: Promise<unknown> = Promise.resolve()
  return {
    contentType: AggregatorRegistry.PROMETHEUS_CONTENT_TYPE,
    metrics() {
      const aggregating = turn.then(aggregate)
      turn = aggregating.catch(() => undefined)
      return aggregating
    },
  }
}

/** A gauge describes the current state, so that of an ended worker is dropped. */
function isGauge(metric: object): boolean {
  return 'type' in metric && metric.type === 'gauge'
}

function workersGauge(count: number): Gauge {
  const gauge = new Gauge({
    name: 'farebox_agent_workers',
    help: 'Workers that said what they have counted',
    registers: [],
  })
  gauge.set(count)
  return gauge
}

async function ask(worker: Worker): Promise<Counted | undefined> {
  if (!worker.isConnected()) return undefined
  let stopListening = (): void => undefined
  const answered = new Promise<Counted | undefined>(resolve => {
    const listen = (message: unknown): void => {
      const report = readReport(message)
      if (report?.kind === 'metrics') resolve(report.metrics)
    }
    worker.on('message', listen)
    stopListening = () => void worker.off('message', listen)
  })
  worker.send(REPORT_METRICS, () => undefined)
  return await within(systemClock, TIMEOUT_MS, answered).finally(stopListening)
}
