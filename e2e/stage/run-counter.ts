import { createServer } from 'node:http'
import type { Stage } from './stage.ts'

/** Counts the runs of the handlers of `e2e/agents/counted`, over all processes. */
export interface RunCounter {
  readonly url: string
  /** Runs so far. */
  count(): number
}

/** Starts the counter; the stage stops it. `onRun` may do something to the world while a handler waits for it. */
export async function startRunCounter(stage: Stage, onRun: () => void | Promise<void> = () => undefined): Promise<RunCounter> {
  let runs = 0
  const server = createServer((request, response) => {
    request.resume()
    runs += 1
    void Promise.resolve(onRun()).then(() => response.end())
  })
  const port = await new Promise<number>(resolve => {
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      resolve(typeof address === 'object' && address !== null ? address.port : 0)
    })
  })
  stage.onStrike(() => new Promise<void>(resolve => {
    server.close(() => resolve())
    server.closeAllConnections()
  }))
  return { url: `http://127.0.0.1:${port}`, count: () => runs }
}
