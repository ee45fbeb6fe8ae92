/** How a program ended, with its last lines and where all of them are. */
export interface ChildExit {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly lastLines: string
  readonly logFile?: string | undefined
}
