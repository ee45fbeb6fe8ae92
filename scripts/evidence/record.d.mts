/** A record as it is written; `record.mjs` says what its fields are, and adds commit and date. */
export interface FreshRecord {
  readonly name: string
  readonly form: 'full' | 'small'
  readonly command: string
  readonly machine: string
  readonly seconds: number
  readonly lines: readonly {
    readonly test: string
    readonly reached: string
    readonly target: string
    readonly ok: boolean
  }[]
  readonly packages: readonly string[]
}

export function writeRecord(root: string, record: FreshRecord): void
