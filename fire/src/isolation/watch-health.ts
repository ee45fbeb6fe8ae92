import { Agent, get } from 'node:http'

const EVERY_MS = 20

/** Asks for `/health` all the time, until it is stopped; then tells how long each answer took, in milliseconds. */
export function watchHealth(url: string): { stop(): Promise<readonly number[]> } {
  const agent = new Agent({ keepAlive: true })
  const took: number[] = []
  const stopping = new AbortController()
  const watching = (async () => {
    while (!stopping.signal.aborted) {
      const startedMs = performance.now()
      const isOk = await askHealth(url, agent)
      // An answer that did not come is the slowest there is.
      took.push(isOk ? performance.now() - startedMs : Number.POSITIVE_INFINITY)
      await new Promise(resolve => setTimeout(resolve, EVERY_MS))
    }
  })()
  return {
    async stop() {
      stopping.abort()
      await watching
      agent.destroy()
      return took
    },
  }
}

function askHealth(url: string, agent: Agent): Promise<boolean> {
  return new Promise(resolve => {
    const request = get(`${url}/health`, { agent, timeout: 10_000 }, response => {
      response.resume().on('end', () => resolve(response.statusCode === 200))
    })
    request.on('timeout', () => request.destroy())
    request.on('error', () => resolve(false))
  })
}
