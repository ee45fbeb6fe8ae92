/** The environment of a command, passed as a parameter so that a test can replace the terminal. */
export interface World {
  readonly folder: string
  readonly variables: { readonly [name: string]: string | undefined }
  /** The folder that keeps wallets and the journal of calls between commands: `$FAREBOX_HOME`, else `~/.farebox`. */
  readonly home: string
  /** The absolute path of the repository from which this program runs; `undefined` when it was installed from a registry. */
  readonly clone: string | undefined
  /** How a person calls this program: `farebox`, or `npx farebox` when PATH does not contain it. */
  readonly program: string
  /** The requested output: results, reports, `--json`. */
  readonly out: Screen
  /** All other output: progress, questions, errors. */
  readonly err: Screen
  readonly canAsk: boolean
  readonly ask: Questions
  /**
   * Opens a page in the person's browser; resolves to false when there is no browser, or no person to see it. Only http and
   * https URLs.
   */
  openPage(url: string): Promise<boolean>
  readInput(): Promise<string>
  /** Aborts at the first Ctrl-C or SIGTERM. */
  readonly signal: AbortSignal
}

export interface Screen {
  write(text: string): void
  /** Whether to use colours and moving lines: the screen is a terminal, and neither `NO_COLOR` nor a CI is set. */
  readonly live: boolean
  /** The number of characters in a line. */
  readonly columns: number
}

/**
 * How a command asks a person; `world.ask`. Used only when `world.canAsk` is true. Each method rejects with a
 * `CommandError` with exit code 130 when the person cancels with Ctrl-C. A question may contain untrusted text: control
 * characters are removed here.
 */
export interface Questions {
  /** Asks for yes or no. Only `y` is yes, unless `initial` makes Enter a yes. */
  confirm(question: string, options?: { readonly initial?: boolean }): Promise<boolean>
  /** Asks for one line of text; empty when the person presses Enter and there is no `initial`. */
  text(question: string, options?: TextOptions): Promise<string>
  password(question: string, options?: Pick<TextOptions, 'refuse'>): Promise<string>
  /** Asks for one of several choices; resolves to its `value`. */
  choose(question: string, choices: readonly Choice[]): Promise<string>
}

export interface TextOptions {
  /** Shown dimmed while nothing has been typed. */
  readonly placeholder?: string
  /** The answer when the person only presses Enter. */
  readonly initial?: string
  /** Returns why an answer is invalid, which is shown under the question; `undefined` when it is valid. */
  readonly refuse?: (answer: string) => string | undefined
}

export interface Choice {
  readonly value: string
  readonly label: string
  readonly hint?: string
}
