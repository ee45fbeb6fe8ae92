/** What to do after a Ctrl-C in a command that changes a registration. */
export const ON_AGAIN = 'run the same command again: it continues where it stopped'

/** Options of every command that signs a transaction. */
export interface RawKeyOptions {
  /** True when no wallet is named. */
  readonly wallet?: string | true
  readonly passwordFile?: string
  readonly rpcUrl?: string
}

export interface RawRegisterOptions extends RawKeyOptions {
  readonly endpoint?: string
  readonly platform?: string
  /** Seconds. */
  readonly timeout?: string
  /** True unless `--no-browser` is given. */
  readonly browser?: boolean
  readonly json?: true
}

export interface RawAgentOptions extends RawKeyOptions {
  /** Option of `deregister` only. */
  readonly yes?: true
  readonly endpoint?: string
  readonly platform?: string
  readonly json?: true
}
