import type { Agent } from '../agent/create-agent.ts'
import type { LogFormat } from '../log.ts'
import type { MetricsAddress } from '../metrics/agent-metrics.ts'

/** What is reported once an agent listens. */
export interface Listening {
  readonly name: string
  readonly url: string
  /** How it is paid, or that it is not. */
  readonly mode: string
  readonly logFormat: LogFormat
  /** Where metrics are to be served; undefined: nowhere. */
  readonly metrics: MetricsAddress | undefined
}

/** Describes an agent that listens; `host` as it was asked for. */
export function describeListening(
  { declaration, environment }: Agent,
  port: number,
  host: string | undefined,
): Listening {
  return {
    name: declaration.name,
    url: `http://${reachableHost(host)}:${port}`,
    mode: environment.devMode
      ? 'dev mode: payments are off'
      : `paid to ${declaration.wallet} on ${nameNetwork(environment)}`,
    logFormat: environment.logFormat,
    metrics: environment.metrics,
  }
}

/** A local chain has the id of the public one in whose place it stands: its facilitator is on this machine. */
function nameNetwork({ network, facilitatorUrl }: Agent['environment']): string {
  const { hostname } = new URL(facilitatorUrl)
  const isUnclear =
    network.id === 'eip155:84532' && /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname)
  return `${network.name}${isUnclear ? ' or a local chain' : ''} (${network.id})`
}

/** For people a line; for programs, with SERVICE_LOG=json, the event that says where it listens. */
export function writeListening({ name, url, mode, logFormat }: Listening, workers: number): string {
  if (logFormat === 'json')
    return `${JSON.stringify({ level: 'info', event: 'listening', name, url, ...(workers > 1 && { workers }) })}\n`
  return `${[name, url, mode, ...(workers > 1 ? [`${workers} workers`] : [])].join('   ')}\n`
}

/** All interfaces, and the machine's own, are where a person at this machine says `localhost`. */
function reachableHost(host: string | undefined): string {
  if (host === undefined || ['', '0.0.0.0', '::', '127.0.0.1', '::1'].includes(host)) return 'localhost'
  return host.includes(':') ? `[${host}]` : host
}
