/** What a command may touch of the world: handed in, so that a test can be the terminal. */
export interface World {
  readonly folder: string
  readonly variables: { readonly [name: string]: string | undefined }
  /** Where wallets and the journal of calls are kept between commands: `$FAREBOX_HOME`, else `~/.farebox`. */
  readonly home: string
  /** The repository that this program runs from, absolute; undefined where it was installed from a registry. */
  readonly clone: string | undefined
  /** What this program is called by at a prompt here: `farebox`, or `npx farebox` where PATH does not have it. */
  readonly program: string
  /** What was asked for: answers, reports, `--json`. */
  readonly out: Screen
  /** Everything beside it: progress, questions, refusals. */
  readonly err: Screen
  readonly canAsk: boolean
  readonly ask: Questions
  /**
   * Shows a page in the person's browser; false where there is none, or nobody to look at it. Only http and https
   * URLs.
   */
  openPage(url: string): Promise<boolean>
  readInput(): Promise<string>
  /** Aborts at the first Ctrl-C or SIGTERM. */
  readonly signal: AbortSignal
}

export interface Screen {
  write(text: string): void
  /** Whether colours and moving lines are wanted: a terminal, and neither `NO_COLOR` nor a CI. */
  readonly live: boolean
  /** Characters in a line. */
  readonly columns: number
}

/**
 * How a command asks a person; `world.ask`. Asked only where `world.canAsk`. Each method rejects with a
 * `CommandError` of exit code 130 when the person leaves the question by Ctrl-C. A question may come
 * from a stranger: control characters are taken out here.
 */
export interface Questions {
  /** Yes or no. Only `y` is yes, unless `initial` says that Enter is. */
  confirm(question: string, options?: { readonly initial?: boolean }): Promise<boolean>
  /** One line of text; empty where the person just pressed Enter and there is no `initial`. */
  text(question: string, options?: TextOptions): Promise<string>
  password(question: string, options?: Pick<TextOptions, 'refuse'>): Promise<string>
  /** One of several; resolves to its `value`. */
  choose(question: string, choices: readonly Choice[]): Promise<string>
}

export interface TextOptions {
  /** Shown, dimmed, where nothing has been typed yet. */
  readonly placeholder?: string
  /** What Enter alone answers. */
  readonly initial?: string
  /** Why an answer will not do, shown under the question; undefined where it will. */
  readonly refuse?: (answer: string) => string | undefined
}

export interface Choice {
  readonly value: string
  readonly label: string
  readonly hint?: string
}
