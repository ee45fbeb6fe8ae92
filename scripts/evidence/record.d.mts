/** The results of one run, and its commit. */
export interface EvidenceRecord {
  /** `fire/storms` */
  readonly name: string
  /** 40 hexadecimal digits. */
  readonly commit: string
  /** `2026-11-21`, UTC. */
  readonly date: string
  readonly form: 'full' | 'small'
  /** The command that repeats it. */
  readonly command: string
  readonly machine: string
  readonly seconds: number
  /** The seed of random choices, if there were any. */
  readonly seed?: number
  readonly lines: readonly {
    readonly test: string
    readonly reached: string
    readonly target: string
    readonly ok: boolean
    /** One sentence about the test. */
    readonly does?: string
    /** The `sections` to which it belongs. */
    readonly in?: readonly string[]
    /** In docs/speed.svg: its label, how many times as fast as the peer, and our goal for that. */
    readonly short?: string
    readonly times?: number
    readonly goal?: number
  }[]
  /** Headings by their short names, if lines are shown below headings. */
  readonly sections?: { readonly [name: string]: string }
  /** Copied from a page, with the commit and the date of that page: the run itself has no record. */
  readonly imported?: true
  /** The number of findings, if it searches for some. */
  readonly findings?: number
  /** Folders whose later changes make it outdated. */
  readonly packages: readonly string[]
  /** One sentence about the tests. */
  readonly does?: string
}

export function readRecords(root: string): readonly EvidenceRecord[]
export function readCommit(root: string): string | undefined
export function writeRecord(root: string, record: Omit<EvidenceRecord, 'date'>): void
