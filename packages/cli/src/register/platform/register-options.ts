/** What to do after a Ctrl-C in a command that changes what is registered. */
export const ON_AGAIN = 'run the same command again: it continues where it stopped'

/** Options of every command that signs a transaction. */
export interface RawKeyOptions {
  /** True where no wallet is named. */
  readonly wallet?: string | true
  readonly passwordFile?: string
  readonly rpcUrl?: string
}

export interface RawRegisterOptions extends RawKeyOptions {
  readonly endpoint?: string
  readonly platform?: string
  /** Seconds. */
  readonly timeout?: string
  /** Without a `--no-browser` it is true. */
  readonly browser?: boolean
  readonly json?: true
}

export interface RawAgentOptions extends RawKeyOptions {
  /** Of `deregister` alone. */
  readonly yes?: true
  readonly endpoint?: string
  readonly platform?: string
  readonly json?: true
}
