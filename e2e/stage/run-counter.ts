import { serve } from './serve.ts'
import type { Stage } from './stage.ts'

/** Counts the runs of the handlers of `e2e/agents/counted`, over all processes. */
export interface RunCounter {
  readonly url: string
  /** Runs so far. */
  count(): number
}

/** Starts the counter; the stage stops it. `onRun` runs while a handler waits for it. */
export async function startRunCounter(
  stage: Stage,
  onRun: () => void = () => undefined,
): Promise<RunCounter> {
  let runs = 0
  const { url, stop } = await serve((_, response) => {
    runs += 1
    onRun()
    response.end()
  })
  stage.onStrike(stop)
  return { url, count: () => runs }
}
