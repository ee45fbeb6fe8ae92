import type { Worker } from 'node:cluster'
import { within } from '@farebox/protocol/internal/time/within'
import { systemClock } from '@farebox/protocol/time/clock'
import { AggregatorRegistry, Gauge } from 'prom-client'
import type { MetricsSource } from '../metrics/agent-metrics.ts'
import { readReport, REPORT_METRICS } from './worker-messages.ts'

/** What one worker, or several, have counted. */
type Counted = readonly object[]

/** A worker whose event loop is blocked does not answer: what it said the last time stands in for it. */
const TIMEOUT_MS = 2_000

/**
 * Adds up what all workers have counted, so that one scrape is the whole agent. What a worker that has ended had
 * counted by the last scrape stays in the sums: a counter that went down would be taken for a restart, and be counted
 * anew.
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

  // One after the other: two that retire the same worker would count it twice.
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

/** A metric of type `gauge` says what is now, and nothing of what has ended. */
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
