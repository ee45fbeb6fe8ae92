/** What our client told its caller. */
export interface ClientReport {
  readonly job: string
  /** The payment it had journalled; undefined where it signed none. */
  readonly payment: string | undefined
  readonly reported: 'done' | 'failed' | 'unresolved' | 'nothing was paid'
  readonly words: string
}

/** What our facilitator told an agent that is not of our making. */
export interface FacilitatorReport {
  readonly payment: string
  readonly binding: string
  readonly reported: 'settled' | 'failed' | 'released'
  readonly reason: string
  /** Nothing was asked afterwards that could change it. */
  readonly isLast: boolean
}

/** Words that must be kept. */
export interface ReportRecords {
  readonly ofClients: ClientReport[]
  /** Payments that our client signed, by the job they were for. */
  readonly signed: Map<string, Set<string>>
  readonly ofFacilitators: FacilitatorReport[]
}
