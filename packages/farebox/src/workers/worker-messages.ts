import { isObject } from '@farebox/protocol/internal/guards/json'
import type { Listening } from '../serving/listening.ts'
import type { MetricsAddress } from '../metrics/agent-metrics.ts'

/** A report of a worker to its supervisor. */
export type WorkerReport =
  | { readonly kind: 'listening'; readonly listening: Listening }
  /** The worker cannot start, and has printed the reason. */
  | { readonly kind: 'refused' }
  /** The metrics as prom-client's `getMetricsAsJSON` returns them; undefined when that failed. */
  | { readonly kind: 'metrics'; readonly metrics: readonly object[] | undefined }

/** A command to a worker: accept no more jobs, finish those in flight, and end. */
export const STOP = 'stop'

/** A request to a worker for its metrics. */
export const REPORT_METRICS = 'metrics'

/** Reads a message of a worker; undefined for other messages, because handlers may send messages of their own. */
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
