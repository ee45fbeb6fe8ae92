import { isObject } from '@farebox/protocol/internal/guards/json'
import type { Listening } from '../serving/listening.ts'
import type { MetricsAddress } from '../metrics/agent-metrics.ts'

/** What a worker tells the process that watches over it. */
export type WorkerReport =
  | { readonly kind: 'listening'; readonly listening: Listening }
  /** It cannot start, and has said why. */
  | { readonly kind: 'refused' }
  /** What it has counted, as `getMetricsAsJSON` of prom-client gives it; undefined where that failed. */
  | { readonly kind: 'metrics'; readonly metrics: readonly object[] | undefined }

/** A command to a worker: stop taking jobs, finish those in flight, end. */
export const STOP = 'stop'

/** What a worker is asked: what it has counted. */
export const REPORT_METRICS = 'metrics'

/** A message as it came over the channel; undefined for what is not ours: handlers may send messages of their own. */
export function readReport(message: unknown): WorkerReport | undefined {
  if (!isObject(message)) return undefined
  const { kind, listening, metrics } = message
  if (kind === 'refused') return { kind }
  if (kind === 'metrics')
    return { kind, metrics: Array.isArray(metrics) ? metrics.filter(isObject) : undefined }
  if (kind !== 'listening' || !isObject(listening)) return undefined
  const { name, url, mode, logFormat } = listening
  if (typeof name !== 'string' || typeof url !== 'string' || typeof mode !== 'string') return undefined
  return {
    kind,
    listening: {
      name,
      url,
      mode,
      logFormat: logFormat === 'json' ? 'json' : 'text',
      metrics: readAddress(listening['metrics']),
    },
  }
}

function readAddress(address: unknown): MetricsAddress | undefined {
  if (!isObject(address)) return undefined
  const { host, port } = address
  return typeof host === 'string' && typeof port === 'number' ? { host, port } : undefined
}
