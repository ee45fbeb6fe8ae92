import { createContext } from 'react'

/** The shown run, and the token that opens it. */
export interface RunOpener {
  readonly runId: string
  /** Undefined when the payer is signed in. */
  readonly token: string | undefined
}

/** Provides the shown run and its token to the parts of its page that link to its jobs. */
export const RunOpenerContext = createContext<RunOpener>({ runId: '', token: undefined })

/**
 * The address of a job of a run. It names the run, so that after a reload or on return the job is opened by what this
 * browser keeps of the run. The token is passed along once, for a run that the browser does not keep.
 */
export function jobUrl({ runId, token }: RunOpener, jobId: string, part?: 'receipt'): string {
  const query = new URLSearchParams({ run: runId, ...(part !== undefined && { part }) })
  return `/jobs/${jobId}?${query}${token === undefined ? '' : `#r=${token}`}`
}
