/** The end of a program: exit code or signal, its last lines, and the file that has all of them. */
export interface ChildExit {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly lastLines: string
  readonly logFile?: string | undefined
}
