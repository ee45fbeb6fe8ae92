import { setTimeout as delay } from 'node:timers/promises'

/** When the steps of a job happened, as read from the agents' logs; Unix milliseconds. */
export interface JobTimes {
  readonly [event: string]: number | undefined
}

/** Reads the agents' JSON log lines and keeps the times of the jobs that are shown. */
export interface JobLog {
  /** Reads one line of one program's output. */
  read(program: string, line: string): void
  /**
   * Resolves to the times of a job once its "completed" line has arrived. If the line does not arrive within a second,
   * resolves to the times known by then.
   */
  completed(jobId: string): Promise<JobTimes>
}

/** Creates a job log. */
export function createJobLog(): JobLog {
  const jobs = new Map<string, { [event: string]: number }>()
  return {
    read(_, line) {
      const entry = parseLine(line)
      if (entry === undefined) return
      const times = jobs.get(entry.job) ?? {}
      times[entry.event] ??= Date.parse(entry.time)
      if (entry.ms !== undefined) times['handler ms'] = entry.ms
      jobs.set(entry.job, times)
      const [oldest] = jobs.keys()
      if (jobs.size > 100 && oldest !== undefined) jobs.delete(oldest)
    },
    async completed(jobId) {
      // The caller can receive the response shortly before the agent's last log line has passed through the pipe.
      for (let waitedMs = 0; waitedMs < 1_000 && jobs.get(jobId)?.['completed'] === undefined; waitedMs += 10)
        await delay(10)
      return jobs.get(jobId) ?? {}
    },
  }
}

function parseLine(
  line: string,
): { readonly job: string; readonly event: string; readonly time: string; readonly ms?: number } | undefined {
  try {
    const { job, event, time, ms } = JSON.parse(line) as { [key: string]: unknown }
    if (typeof job !== 'string' || typeof event !== 'string' || typeof time !== 'string') return undefined
    return { job, event, time, ...(typeof ms === 'number' && { ms }) }
  } catch {
    return undefined
  }
}
