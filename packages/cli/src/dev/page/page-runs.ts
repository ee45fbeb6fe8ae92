import type { Clock } from 'farebox'
import type { DevAnswer, DevJob, DevStep } from '@farebox/web/internal/dev-page/wire'
import type { JobEvent } from '../messages/messages.ts'
import type { PaidPath } from '../paid/paid-path.ts'
import type { DevFeed } from './dev-feed.ts'
import type { PageAgent } from './served-agent.ts'

export interface PageRuns {
  /** Reads what runs need, so that the first does not wait for it. Rejects where that cannot be read. */
  warm(): Promise<void>
  /** Runs one. A string: why it is not run. */
  run(request: DevJob, agent: PageAgent): Promise<DevAnswer | string>
  /** Takes each event of the agent's jobs; those of others say nothing here. */
  onJobEvent(event: JobEvent): void
}

export interface PageRunsOptions {
  readonly clock: Clock
  readonly feed: Pick<DevFeed, 'step'>
  /** Who pays; undefined: payments are off. */
  readonly paid: () => Pick<PaidPath, 'signer' | 'readSettled'> | undefined
  readonly signal: AbortSignal
}

interface Run {
  take(event: JobEvent): void
}

const MAX_RUNS = 16
/** The answer and the agent's own report of it come by different ways. */
const LAST_EVENT_WITHIN_MS = 250

export function createPageRuns(options: PageRunsOptions): PageRuns {
  const { clock, feed, paid, signal } = options
  const runs = new Map<string, Run>()

  async function run(request: DevJob, agent: PageAgent): Promise<DevAnswer | string> {
    const key = request.job_id.toLowerCase()
    const steps: DevStep[] = []
    const onStep = (step: DevStep): void => {
      steps.push(step)
      feed.step(key, step)
    }
    const { runPageJob, createStepReader, isLast } = await loadRunJob()
    const readStep = createStepReader()
    if (runs.has(key)) return 'job_id: this job is running'
    if (runs.size >= MAX_RUNS) return `at most ${MAX_RUNS} jobs run at once`
    let end = (): void => undefined
    const ended = new Promise<void>(resolve => {
      end = resolve
    })
    runs.set(key, {
      take(event) {
        const step = readStep(event)
        if (step !== undefined) onStep(step)
        // Of a paid job the first call is refused with the price: that is not its end.
        if (isLast(event) || step?.kind === 'failed') end()
      },
    })
    try {
      const context = { agent, paid: paid(), signal, nowMs: () => clock.nowMs(), onStep }
      const answer = await runPageJob(request, context)
      const cancel = clock.after(LAST_EVENT_WITHIN_MS, end)
      await ended
      cancel()
      return { ...answer, steps }
    } finally {
      runs.delete(key)
    }
  }

  return {
    async warm() {
      await loadRunJob()
    },
    run,
    onJobEvent: event => runs.get(event.jobId.toLowerCase())?.take(event),
  }
}

/** It brings the client, and is read only where somebody looks at the page. */
async function loadRunJob() {
  const [{ runPageJob }, { createStepReader, isLast }] = await Promise.all([
    import('./run-job.ts'),
    import('./run-job.ts'),
  ])
  return { runPageJob, createStepReader, isLast }
}
