import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type Server } from 'node:net'

/**
 * Below the range that Linux takes ports of outgoing connections from (32768 and up): a process that is killed finds
 * its port free when it comes back, however many connections are made meanwhile.
 */
const LOWEST = 20_000
const HIGHEST = 31_999
const TRIES = 500

/** So many different TCP ports on 127.0.0.1 that nobody listens on now. */
export async function findLastingPorts(count: number): Promise<readonly number[]> {
  const held = new Map<number, Server>()
  for (let tries = 0; held.size < count; tries += 1) {
    if (tries === TRIES) throw new Error(`${count} free ports from ${LOWEST} to ${HIGHEST} were not found`)
    const port = randomInt(LOWEST, HIGHEST + 1)
    const server = held.has(port) ? undefined : await hold(port)
    if (server !== undefined) held.set(port, server)
  }
  for (const server of held.values()) await new Promise(resolve => server.close(resolve))
  return [...held.keys()]
}

/** Undefined where somebody listens there. */
async function hold(port: number): Promise<Server | undefined> {
  const server = createServer()
  try {
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
    return server
  } catch {
    return undefined
  }
}
