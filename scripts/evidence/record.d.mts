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
  readonly seed: number
  readonly lines: readonly {
    readonly test: string
    readonly reached: string
    readonly target: string
    readonly ok: boolean
  }[]
  /** How many. */
  readonly findings: number
  /** Folders whose later changes make it old. */
  readonly packages: readonly string[]
  /** One sentence about what was done. */
  readonly does?: string
}

export function readRecords(root: string): readonly EvidenceRecord[]
export function readCommit(root: string): string | undefined
export function writeRecord(root: string, record: Omit<EvidenceRecord, 'date'>): void
