import { createContext } from 'react'

/** The run that is shown, and the token that opens it. */
export interface RunOpener {
  readonly runId: string
  /** Undefined: its payer is signed in. */
  readonly token: string | undefined
}

/** Opens the run that is shown, and its jobs. */
export const RunOpenerContext = createContext<RunOpener>({ runId: '', token: undefined })

/**
 * The page of a job of a run. The address names the run, so that a reload and the way back open the job by what this browser
 * keeps of the run; the token goes along once, for a run that it does not keep.
 */
export function jobUrl({ runId, token }: RunOpener, jobId: string, part?: 'receipt'): string {
  const query = new URLSearchParams({ run: runId, ...(part !== undefined && { part }) })
  return `/jobs/${jobId}?${query}${token === undefined ? '' : `#r=${token}`}`
}
