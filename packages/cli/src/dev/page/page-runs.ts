import type { Clock } from 'farebox'
import type { DevAnswer, DevJob, DevStep } from '@farebox/web/internal/dev-page/wire'
import type { JobEvent } from '../messages/messages.ts'
import type { PaidPath } from '../paid/paid-path.ts'
import type { DevFeed } from './dev-feed.ts'
import type { PageAgent } from './served-agent.ts'

export interface PageRuns {
  /** Loads the modules that runs need, so that the first run does not wait for them. Rejects when they cannot be loaded. */
  warm(): Promise<void>
  /** Runs one job. Returns a string with the reason when the job is not run. */
  run(request: DevJob, agent: PageAgent): Promise<DevAnswer | string>
  /** Receives each event of the agent's jobs; those that the page did not start are ignored. */
  onJobEvent(event: JobEvent): void
}

export interface PageRunsOptions {
  readonly clock: Clock
  readonly feed: Pick<DevFeed, 'step'>
  /** Returns the payer; `undefined` when payments are off. */
  readonly paid: () => Pick<PaidPath, 'signer' | 'readSettled'> | undefined
  readonly signal: AbortSignal
}

interface Run {
  take(event: JobEvent): void
}

const MAX_RUNS = 16
/** The response and the agent's own report about it arrive on different channels. */
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
        // The first request of a paid job is answered with the price, which is not the end of the job.
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

/** Loads the code that includes the client, only when the page is used. */
async function loadRunJob() {
  const [{ runPageJob }, { createStepReader, isLast }] = await Promise.all([
    import('./run-job.ts'),
    import('./run-job.ts'),
  ])
  return { runPageJob, createStepReader, isLast }
}
