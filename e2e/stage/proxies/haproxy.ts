import { spawn, spawnSync } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { findFreePort } from '@farebox/local/src/processes/free-port'
import { until } from '@farebox/protocol/src/test-setup/until'

/** One of several servers behind the load balancer. */
export interface Backend {
  readonly port: number
  /** The port that answers `GET /ready`. */
  readonly readyPort: number
}

/** A load balancer with a port for each group of servers. */
export interface Balancer<Name extends string> {
  /** `http://127.0.0.1:…` of each group. */
  readonly urls: { readonly [name in Name]: string }
  stop(): Promise<void>
}

/** Whether HAProxy is installed. */
export function hasHaproxy(): boolean {
  return spawnSync('haproxy', ['-v']).status === 0
}

/** An operator's initial configuration: health checks by `/ready`, and failed connections retried at another server. */
const DEFAULTS = `
global
  maxconn 2000
defaults
  mode http
  timeout connect 2s
  timeout client 120s
  timeout server 120s
  timeout queue 30s
  timeout check 5s
  retries 5
  option redispatch 1
  balance roundrobin
  option httpchk
`

/** Starts HAProxy on loopback; the caller has checked that it is installed. */
export async function startHaproxy<Name extends string>(
  folder: string,
  groups: { readonly [name in Name]: readonly Backend[] },
): Promise<Balancer<Name>> {
  const ports = new Map<string, number>()
  const parts: string[] = [DEFAULTS]
  for (const [name, servers] of Object.entries<readonly Backend[]>(groups)) {
    const port = await findFreePort()
    ports.set(name, port)
    const lines = servers.map(
      (server, index) =>
        `  server ${name}${index} 127.0.0.1:${server.port} check port ${server.readyPort} inter 200ms fall 1 rise 1`,
    )
    // A local platform answers only under its own name.
    const check = `  http-check send meth GET uri /ready ver HTTP/1.1 hdr Host 127.0.0.1:${port}`
    parts.push(`listen ${name}\n  bind 127.0.0.1:${port}\n${check}\n${lines.join('\n')}\n`)
  }
  const file = join(folder, 'haproxy.cfg')
  await writeFile(file, parts.join(''))
  const child = spawn('haproxy', ['-db', '-f', file], { stdio: 'ignore' })
  const exited = new Promise<void>(resolve => child.once('exit', () => resolve()))
  for (const port of ports.values()) await until(() => isListening(port))
  return {
    urls: Object.fromEntries([...ports].map(([name, port]) => [name, `http://127.0.0.1:${port}`])) as {
      [name in Name]: string
    },
    async stop() {
      child.kill('SIGTERM')
      await exited
    },
  }
}

function isListening(port: number): Promise<boolean> {
  return new Promise(resolve => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
    socket.once('connect', () => socket.destroy())
  })
}
