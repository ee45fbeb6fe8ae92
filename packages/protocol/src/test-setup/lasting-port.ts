import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'

/**
 * Below the range that Linux takes ports of outgoing connections from (32768 and up): a process that is killed finds
 * its port free when it comes back, however many connections are made meanwhile.
 */
const LOWEST = 20_000
const HIGHEST = 31_999
const given = new Set<number>()

/** A TCP port on 127.0.0.1 that nobody listens on now, another each time. */
export async function findLastingPort(): Promise<number> {
  const port = randomInt(LOWEST, HIGHEST + 1)
  if (given.has(port)) return await findLastingPort()
  given.add(port)
  const server = createServer().listen(port, '127.0.0.1')
  try {
    await once(server, 'listening')
  } catch {
    return await findLastingPort()
  }
  await new Promise(resolve => server.close(resolve))
  return port
}
