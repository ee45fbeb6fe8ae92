/** The flags of `npm start`. */
export interface Flags {
  readonly chainId: number
  readonly ports: { readonly [name in PortName]: number }
  /** The platform's interval between two checks of an agent; undefined: the platform's own 600. */
  readonly checkSeconds: number | undefined
  /** As given. */
  readonly folder: string
  readonly once: boolean
  readonly help: boolean
}

/** The listening programs, by the flag that sets their port. */
export type PortName = 'chain' | 'facilitator' | 'platform' | 'agents'

export const PORT_NAMES: readonly PortName[]
export const CHAIN_IDS: readonly number[]
export const DEFAULT_FOLDER: string
export const HELP: string
export function readFlags(words: readonly string[]): Flags
export function wordsOf(flags: Flags): readonly string[]
export function folderOf(root: string, folder: string): string
export function shellWord(word: string): string
