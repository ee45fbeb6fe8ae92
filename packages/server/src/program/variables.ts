/** The help for one environment variable. */
export interface VariableHelp {
  /** One or two sentences in lower case, without a full stop at the end. */
  readonly meaning: string
  /** The value when it is unset; `required` when the program does not start without it; absent: no value. */
  readonly default?: string
}

/**
 * Every variable that a program reads, in the order of its help. `variablesOf` refuses to read any other variable, so the
 * help is always complete.
 */
export type VariablesHelp = { readonly [name: string]: VariableHelp }
