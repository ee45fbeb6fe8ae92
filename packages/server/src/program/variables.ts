/** What the help of a program says of one environment variable. */
export interface VariableHelp {
  /** One or two sentences in lower case, without a full stop at the end. */
  readonly meaning: string
  /** Used where it is unset; `required` where the program does not start without it; absent: nothing. */
  readonly default?: string
}

/**
 * Every variable that a program reads, in the order of its help. `variablesOf` refuses to read any other, so the help
 * cannot leave one out.
 */
export type VariablesHelp = { readonly [name: string]: VariableHelp }
