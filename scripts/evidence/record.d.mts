/** What was seen in one run, and at which commit. */
export interface EvidenceRecord {
  /** `fire/storms` */
  readonly name: string
  /** 40 hexadecimal digits. */
  readonly commit: string
  /** `2026-11-21`, UTC. */
  readonly date: string
  readonly form: 'full' | 'small'
  /** Repeats it. */
  readonly command: string
  readonly machine: string
  readonly seconds: number
  /** Of random choices, where there were some. */
  readonly seed?: number
  readonly lines: readonly {
    readonly test: string
    readonly reached: string
    readonly target: string
    readonly ok: boolean
    /** One sentence about what was done. */
    readonly does?: string
    /** Those of `sections` that it belongs to. */
    readonly in?: readonly string[]
    /** In docs/speed.svg: its label, how many times as fast as the peer, and our goal for that. */
    readonly short?: string
    readonly times?: number
    readonly goal?: number
  }[]
  /** Headings by their short names, where lines are shown below headings. */
  readonly sections?: { readonly [name: string]: string }
  /** Taken from a page, with the commit and the date of that page: there is no record of the run itself. */
  readonly imported?: true
  /** How many, where it looks for some. */
  readonly findings?: number
  /** Folders whose later changes make it old. */
  readonly packages: readonly string[]
  /** One sentence about what was done. */
  readonly does?: string
}

export function readRecords(root: string): readonly EvidenceRecord[]
export function readCommit(root: string): string | undefined
export function writeRecord(root: string, record: Omit<EvidenceRecord, 'date'>): void
