import type { Agent } from '../agent/create-agent.ts'
import type { LogFormat } from '../log.ts'
import type { MetricsAddress } from '../metrics/agent-metrics.ts'

/** The facts that are reported when an agent listens. */
export interface Listening {
  readonly name: string
  readonly url: string
  /** How the agent is paid, or that payments are off. */
  readonly mode: string
  readonly logFormat: LogFormat
  /** The address for metrics; undefined: metrics are off. */
  readonly metrics: MetricsAddress | undefined
}

/** Describes an agent that listens; `host` is the requested host. */
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

/**
 * A local chain uses the id of the public chain that it replaces; a facilitator on this machine suggests a local chain.
 */
function nameNetwork({ network, facilitatorUrl }: Agent['environment']): string {
  const { hostname } = new URL(facilitatorUrl)
  const isUnclear =
    network.id === 'eip155:84532' && /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname)
  return `${network.name}${isUnclear ? ' or a local chain' : ''} (${network.id})`
}

/** One line for people or, with SERVICE_LOG=json, an event with the address. */
export function writeListening({ name, url, mode, logFormat }: Listening, workers: number): string {
  if (logFormat === 'json')
    return `${JSON.stringify({ time: new Date().toISOString(), level: 'info', event: 'listening', name, url, ...(workers > 1 && { workers }) })}\n`
  return `${[name, url, mode, ...(workers > 1 ? [`${workers} workers`] : [])].join('   ')}\n`
}

/** The host for a URL: `localhost` for all interfaces and for loopback addresses. */
function reachableHost(host: string | undefined): string {
  if (host === undefined || ['', '0.0.0.0', '::', '127.0.0.1', '::1'].includes(host)) return 'localhost'
  return host.includes(':') ? `[${host}]` : host
}
